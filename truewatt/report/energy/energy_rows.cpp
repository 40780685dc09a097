#include "truewatt/report/energy/energy_rows.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/report/page/budget_cells.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

std::string row_text(const SummaryRow& row, std::size_t spread_width, std::size_t name_width) {
  std::string line = pad_left(row.value, 15) + "  " + pad_right(row.spread, spread_width) + "  ";
  line += row.comment.empty() ? row.name : pad_right(row.name, name_width) + "  # " + row.comment;
  return line;
}

std::string_view words(energy::IdleRung rung) {
  return rung == energy::IdleRung::context  ? "with a context"
         : rung == energy::IdleRung::active ? "clocks still up"
                                            : to_string(rung);
}

}  // namespace

std::string idle_text(const energy::EnergyEstimate& estimate) {
  if (!estimate.baseline) return "";
  std::string watts = power_text(*estimate.baseline);
  if (estimate.baseline_rung)
    watts += std::string(", ") + std::string(words(*estimate.baseline_rung));
  if (!estimate.baseline_kind) return watts;
  switch (*estimate.baseline_kind) {
    case energy::BaselineKind::before:
      return watts + (estimate.baseline_rung ? ", before" : " before");
    case energy::BaselineKind::lowest:
      return watts + ", the lowest";
    case energy::BaselineKind::given:
      break;
  }
  return watts + ", as given";
}

SummaryRow interval_row(const std::optional<energy::EnergyInterval>& energy, std::string name) {
  if (!energy || !std::isfinite(energy->interval.value)) {
    return {"none", "", std::move(name), ""};
  }
  SplitInterval split = split_interval(energy->interval, "J");
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

std::string readers_text(const energy::EnergyEstimate& estimate, const Reference& reference) {
  if (estimate.readers.empty()) return "";
  const std::optional<SourceId>& read = estimate.readers.front().source;
  TextTable table;
  table.left_aligned = 2;
  table.head = {
      {"reader", "of " + (read ? to_string(*read) : "power"), "joules", "over", "from estimate"}};
  if (reference.joules) table.head.front().push_back("from " + reference.name);
  const auto against = [&](const energy::ReaderEnergy& one, const std::optional<Joules>& joules) {
    const auto share = joules ? deviation_of(one, estimate, *joules) : std::nullopt;
    return share ? signed_percent({1.0 + *share, 1.0}).value_or("") : "";
  };
  std::optional<Joules> estimated;
  if (estimate.energy) estimated = Joules(estimate.energy->interval.value);
  for (const energy::ReaderEnergy& one : estimate.readers) {
    table.rows.push_back({"  " + std::string(to_string(one.reader)),
                          std::string(explain(one.reader)),
                          one.energy ? energy_text_of(one.energy->value()) : "none",
                          one.energy ? duration_text(one.over) : "", against(one, estimated)});
    if (reference.joules) table.rows.back().push_back(against(one, reference.joules));
  }
  if (estimated) {
    table.rows.push_back({"  truewatt", estimate.method.code(), energy_text_of(estimated->value()),
                          duration_text(estimate.window), ""});
    if (reference.joules) {
      table.rows.back().push_back(
          signed_percent({estimated->value(), reference.joules->value()}).value_or(""));
    }
  }
  return "\n" + to_text(table, "  ");
}

std::string budget_text(const energy::EnergyEstimate& estimate) {
  if (estimate.budget.empty()) return "";
  const double variance = precision_variance_of(estimate.budget);
  TextTable table;
  table.left_aligned = 2;
  table.head = {{"standard uncertainty from", "type", "joules", "of the precision"}};
  constexpr double kNothing = 1e-12;  // of the variance
  for (const auto& term : estimate.budget) {
    if (term.u * term.u < kNothing * variance) continue;
    table.rows.push_back({"  " + std::string(uncertainty::text_of(term.cause)),
                          std::string(1, uncertainty::type_of(term.cause)), plain(term.u, 3) + " J",
                          share_of_precision(term, variance)});
  }
  return "\n" + to_text(table, "   ");
}

std::string verdict_text(const Verdict& verdict, const Paint& paint, std::size_t width) {
  const std::string word(energy::to_string(verdict.status));
  const std::string status = verdict.status == energy::Status::none     ? paint.bad(word)
                             : verdict.status == energy::Status::result ? paint.good(word)
                                                                        : paint.doubtful(word);
  std::string text = "   status    " + status + "\n";
  for (const energy::Reason reason : verdict.reasons) {
    std::string sentence(energy::to_string(reason));
    sentence.append(": ").append(energy::explain(reason));
    text += hanging("   - ", sentence, width);
  }
  return text;
}

}  // namespace truewatt::report
