#include "truewatt/instructions/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "truewatt/instructions/instruction_costs.hpp"
#include "truewatt/instructions/mixing.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {
namespace {

/// The most that a loop of two kinds drew on an H200 (docs/instructions.md).
constexpr double kMostOfMixing = 0.24;

std::vector<double> joules_of(const std::vector<PredictedPart>& parts) {
  std::vector<double> joules;
  for (const PredictedPart& part : parts) joules.push_back(std::max(0.0, part.energy_j.value));
  return joules;
}

/// The sum of the parts, with what mixed code draws beside them.
void conclude(Prediction& prediction, uncertainty::Budget sum, const Table& table) {
  const std::vector<double> joules = joules_of(prediction.parts);
  if (!table.mixing) {
    const double most = drawn_by_mixing({.share = kMostOfMixing}, joules).value();
    prediction.mixing_j = {0.0, 0.0, most};
    prediction.energy_j = uncertainty::interval_of(sum);
    prediction.energy_j->upper += most;
    return;
  }
  const uncertainty::Budget both[] = {std::move(sum), drawn_by_mixing(*table.mixing, joules)};
  prediction.mixing_j = uncertainty::interval_of(both[1]);
  prediction.energy_j = uncertainty::interval_of(uncertainty::sum(both));
}

/// Once each, in their order; what was not executed costs nothing.
Counts merged(const Counts& counts) {
  Counts once;
  for (const auto& counted : counts) {
    const auto known = std::find_if(once.begin(), once.end(), [&counted](const auto& one) {
      return one.first == counted.first;
    });
    if (known != once.end()) {
      known->second += counted.second;
    } else if (counted.second > 0) {
      once.push_back(counted);
    }
  }
  return once;
}

}  // namespace

Prediction predict(const Table& table, KernelCounts executed, kernels::Operands operands) {
  const InstructionCosts costs(table, operands);
  Prediction prediction{.operands = operands};
  double all = 0.0;
  double known = 0.0;
  std::vector<uncertainty::Budget> parts;
  executed.counts = merged(executed.counts);
  for (const auto& [name, count] : executed.counts) {
    all += count;
    const auto cost = costs.of(name);
    if (!cost) {
      prediction.missing.emplace_back(name, count);
      continue;
    }
    known += count;
    parts.push_back(cost->scaled(count));
    prediction.parts.push_back({name, count, uncertainty::interval_of(parts.back())});
  }
  std::sort(prediction.parts.begin(), prediction.parts.end(),
            [](const auto& a, const auto& b) { return a.energy_j.value > b.energy_j.value; });
  if (!parts.empty()) conclude(prediction, uncertainty::sum(parts), table);
  prediction.of = std::move(executed);
  prediction.covered = all > 0 ? known / all : 0.0;
  return prediction;
}

Result<void> check_operands(const Table& table, kernels::Operands operands) {
  std::vector<std::string_view> others;
  for (const Row& row : table.rows) {
    if (!row.valid) continue;
    if (row.key.operands == operands) return {};
    const std::string_view name = to_string(row.key.operands);
    if (std::find(others.begin(), others.end(), name) == others.end()) others.push_back(name);
  }
  if (others.empty()) return {};
  return Unexpected(
      Errc::invalid_argument,
      fmt::format("the table has rows of {} alone, and none of {} to predict by; --operands {} "
                  "predicts by those",
                  fmt::join(others, " and "), to_string(operands), others.front()));
}

}  // namespace truewatt::instructions
