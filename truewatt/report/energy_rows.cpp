#include "truewatt/report/energy_rows.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/report/layout.hpp"

namespace truewatt::report {
namespace {

std::string row_text(const SummaryRow& row, std::size_t spread_width, std::size_t name_width) {
  std::string line = pad_left(row.value, 15) + "  " + pad_right(row.spread, spread_width) + "  ";
  line += row.comment.empty() ? row.name : pad_right(row.name, name_width) + "  # " + row.comment;
  return line;
}

std::string yes_or_no(bool yes, const Paint& paint, const std::string& no) {
  return yes ? paint.good("yes") : no;
}

}  // namespace

SummaryRow interval_row(const std::optional<Interval>& joules, std::string name) {
  if (!joules || !std::isfinite(joules->value)) return {"<unknown>", "", std::move(name), ""};
  SplitInterval split = split_interval(*joules, "J");
  return {std::move(split.value), std::move(split.spread), std::move(name), ""};
}

std::string summary_text(const std::vector<SummaryRow>& rows, const Paint& paint) {
  std::size_t spread_width = 0;
  std::size_t name_width = 0;
  for (const SummaryRow& row : rows) {
    spread_width = std::max(spread_width, display_width(row.spread));
    name_width = std::max(name_width, display_width(row.name));
  }
  std::string text;
  for (const SummaryRow& row : rows) {
    const std::string line = row_text(row, spread_width, name_width);
    text += (text.empty() ? paint.bold(line) : line) + "\n";
  }
  return text;
}

std::string verdict_text(const Verdict& verdict, const Paint& paint, std::size_t width) {
  std::string text = "   valid     " + yes_or_no(verdict.valid, paint, paint.bad("no")) + "\n";
  text += "   resolved  " + yes_or_no(verdict.resolved, paint, paint.doubtful("no")) + "\n";
  for (const energy::Reason reason : verdict.reasons) {
    std::string sentence(energy::to_string(reason));
    sentence.append(": ").append(energy::explain(reason));
    text += hanging("   - ", sentence, width);
  }
  return text;
}

}  // namespace truewatt::report
