#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/aggregate/execution_mean.hpp"
#include "truewatt/measure/repeated.hpp"

namespace truewatt::measure {

/// The trials of every device of a set, in order; all devices have as many. Pure functions.
using TrialsByDevice = std::vector<std::vector<energy::Trial>>;

int count_of(const TrialsByDevice& trials);

/// Trials of the device that has fewest that a mean can rest on.
int usable_of(const TrialsByDevice& trials);

/// Whether a device stopped answering for good: it has no further trial.
bool is_lost(const TrialsByDevice& trials);

/// Every device's energy of one execution, which takes so long.
std::vector<energy::EnergyEstimate> means_of(const TrialsByDevice& trials, Seconds execution,
                                             const RepeatOptions& options);

/// The half-width of the widest device's 95 % interval, without the gain, as a share; absent where
/// one has no energy.
std::optional<double> widest_of(const std::vector<energy::EnergyEstimate>& means);

/// How many trials bring all means of `trials` to a half-width of `target`; infinity where none do.
double trials_for(const std::vector<energy::EnergyEstimate>& means, int trials, double target);

/// What each of a device's trials says of one execution.
std::vector<TrialEnergy> energies_of(const std::vector<energy::Trial>& trials);

/// How the means were found, where they were `executions` of a design's and took `elapsed`.
Repetition repetition_of(const TrialsByDevice& trials,
                         const std::vector<energy::EnergyEstimate>& means, int executions,
                         const RepetitionDesign& design, const std::optional<double>& target,
                         Seconds elapsed);

}  // namespace truewatt::measure
