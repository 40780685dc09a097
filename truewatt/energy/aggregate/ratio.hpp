#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/energy/aggregate/estimate_budget.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::energy {

/// One run of a and one of b, made one after the other: an estimate per device, in any order.
struct RunPair {
  std::vector<EnergyEstimate> a;
  std::vector<EnergyEstimate> b;
};

/// Ratio b / a of the energies of all devices, from pairs of runs (docs/method.md, section 11): the
/// mean of the pairs' logarithms by uncertainty::mean_of_runs(). What a board and its source are
/// wrong by stands on both sides and cancels, as far as both have it alike. A pair where an energy
/// is missing or not positive is left out; absent where none is left. Pure.
std::optional<EnergyRatio> energy_ratio(
    std::span<const RunPair> pairs, Quantity quantity,
    uncertainty::EndedBy ended_by = uncertainty::EndedBy::design);

}  // namespace truewatt::energy
