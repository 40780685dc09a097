#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/compare/results.hpp"
#include "truewatt/energy/aggregate/ratio.hpp"
#include "truewatt/measure/results.hpp"

namespace truewatt::compare {

/// Fewer rounds tell no scatter that is worth stopping at.
inline constexpr int kFewestRounds = uncertainty::kFewestRuns;

/// Runs of a and b in pairs, or rounds. Pairs without an energy are left out, and those with
/// readings missing as long as others are there; a note says how many. `target` is the half-width
/// that was wanted, a share; `ended_by` says whether it ended the rounds. Pure.
EnergyComparison comparison_of(std::vector<measure::EnergyRun> a, std::vector<measure::EnergyRun> b,
                               std::optional<double> target,
                               uncertainty::EndedBy ended_by = uncertainty::EndedBy::design);

/// Of the ratio's 95 % interval, as a share of it. Pure.
double half_width(const energy::EnergyRatio& ratio);

/// How many rounds narrow the ratio's interval to the target: its scatter shrinks with their root,
/// the other terms stay. Absent where none do, or too many to count. Pure.
std::optional<int> rounds_for(const energy::EnergyRatio& ratio, double target);

/// Why no number of rounds reaches the target; empty where one may. Pure.
std::string why_never(const energy::EnergyRatio& ratio, double target);

/// Whether a device of the run stopped answering for good. Pure.
bool is_lost(const measure::EnergyRun& run);

}  // namespace truewatt::compare
