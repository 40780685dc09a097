#include "truewatt/instructions/prediction.hpp"

#include <algorithm>

#include "truewatt/instructions/instruction_costs.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::instructions {

Prediction predict(const Table& table, KernelCounts executed) {
  const InstructionCosts costs(table);
  Prediction prediction;
  double all = 0.0;
  double known = 0.0;
  std::vector<uncertainty::Budget> parts;
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
  }
  prediction.of = std::move(executed);
  prediction.covered = all > 0 ? known / all : 0.0;
  return prediction;
}

}  // namespace truewatt::instructions
