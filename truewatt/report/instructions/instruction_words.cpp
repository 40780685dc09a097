#include "truewatt/report/instructions/instruction_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/baseline_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {

std::string picojoules_text(const std::optional<Interval>& joules) {
  if (!joules) return "-";
  const std::string text = unitless_text(scaled(*joules, kPicojoules));
  return text.substr(0, text.find(" ("));
}

std::string instruction_name(const instructions::RowKey& key) {
  if (key.operands == kernels::Operands::random) return key.instruction;
  return fmt::format("{} ({})", key.instruction, to_string(key.operands));
}

std::string machine_text(const instructions::Row& row) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> parts;
  for (const auto& [opcode, count] : row.machine) {
    if (parts.size() == kShown) {
      parts.emplace_back("...");
      break;
    }
    parts.push_back(std::abs(count - 1.0) < 0.01 ? opcode
                                                 : fmt::format("{:.3g} {}", count, opcode));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> standing_of(const instructions::Table& table) {
  const instructions::Baselines& on = table.baselines;
  std::vector<std::string> lines;
  lines.emplace_back(
      "Picojoules of one thread's instruction above idle with a context (\"dynamic\"); a warp's "
      "takes 32 times as much. Intervals are 95 %.");
  if (on.idle_w) {
    lines.push_back(fmt::format("Idle with a context: {}.", format_interval(*on.idle_w, "W")));
  }
  if (on.spin_w) {
    lines.push_back(spinning_words(*on.spin_w, on.clock_hz));
  }
  if (table.scale) lines.push_back(scale_words(table));
  return lines;
}

std::string scale_words(const instructions::Table& table) {
  return fmt::format("On this sensor's scale; ± {:.2g} % more against a wattmeter ({}).",
                     100 * *table.scale, table.calibrated ? "calibrated" : "never calibrated");
}

std::string reasons_text(const instructions::Row& row) {
  std::string text;
  for (const instructions::Reason reason : row.reasons) {
    if (!text.empty()) text += "; ";
    text += explain(reason);
  }
  if (!row.detail.empty()) text += fmt::format(" ({})", row.detail);
  return text;
}

bool is_less_partner(const instructions::Row& row) {
  const auto& reasons = row.reasons;
  const bool is_pair =
      std::find(reasons.begin(), reasons.end(), instructions::Reason::pair) != reasons.end();
  return !row.partner.empty() && row.dynamic_j && !is_pair;
}

std::string drawn_together_words(const instructions::Table& table) {
  if (!table.mixing) return "";
  return fmt::format(
      " ({:.0f} % of the row where both cost alike, with a standard deviation of {:.0f} % from "
      "pair to pair, as mixed loops drew)",
      100 * table.mixing->share, 100 * table.mixing->scatter);
}

std::vector<std::string> groups_of(const instructions::Table& table) {
  std::vector<std::string> groups;
  for (const instructions::Row& row : table.rows) {
    if (std::find(groups.begin(), groups.end(), row.group) == groups.end()) {
      groups.push_back(row.group);
    }
  }
  return groups;
}

}  // namespace truewatt::report
