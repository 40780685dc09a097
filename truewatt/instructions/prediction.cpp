#include "truewatt/instructions/prediction.hpp"

#include <algorithm>

#include "truewatt/instructions/instruction_costs.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {
namespace {

/// Mixed code draws more than its instructions do in loops of their own, since neighbours differ in
/// type and bits: the most that kernels of known counts drew on six boards (docs/instructions.md),
/// as a share, over the share of pairs of joules that are of two kinds.
constexpr double kMostOfMixing = 0.18;

double most_of_mixing_j(const std::vector<PredictedPart>& parts, double joules) {
  if (!(joules > 0)) return 0.0;
  double alike = 0.0;
  for (const PredictedPart& part : parts) {
    alike += part.energy_j.value / joules * (part.energy_j.value / joules);
  }
  return kMostOfMixing * std::max(0.0, 1 - alike) * joules;
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

Prediction predict(const Table& table, KernelCounts executed) {
  const InstructionCosts costs(table);
  Prediction prediction;
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
  if (!parts.empty()) {
    prediction.energy_j = uncertainty::interval_of(uncertainty::sum(parts));
    prediction.mixing_j = most_of_mixing_j(prediction.parts, prediction.energy_j->value);
    prediction.energy_j->upper += prediction.mixing_j;
  }
  prediction.of = std::move(executed);
  prediction.covered = all > 0 ? known / all : 0.0;
  return prediction;
}

}  // namespace truewatt::instructions
