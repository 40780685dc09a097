#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::energy {

/// Executions of one load one after the other, measured as one window, which begins with the first
/// one's begin and ends with the last one's end.
struct Trial {
  EnergyEstimate estimate;
  int executions = 1;
  Seconds pause{0};             ///< idle between the executions, all together
  std::optional<Joules> truth;  ///< simulated devices: mean gross joules of an execution
  Window window{};              ///< when that was, on the host's axis
};

struct MeanOptions {
  uncertainty::EndedBy ended_by = uncertainty::EndedBy::design;
  double resolve = 0.05;  ///< as EstimateOptions::resolve
};

/// Gross joules of one execution by this trial: what its window holds less idle in the pauses.
/// Absent without an energy, or without a baseline where there are pauses.
std::optional<double> joules_of_one(const Trial& trial);

/// The trials that a mean can rest on: those with an energy; of these those without readings
/// missing, where there are such; of these those whose readings follow what is known of their
/// sources, where two thirds do. Pure.
std::vector<Trial> usable_trials(const std::vector<Trial>& trials);

/// How much each of the trials counts in their mean: more the better it is known, nothing where it
/// is left out. Sum 1, where any counts. Pure.
std::vector<double> trial_weights(const std::vector<Trial>& trials);

/// Budget of joules_of_one(), which must be there. `run` tells the trials apart. Pure.
uncertainty::Budget budget_of_one(const Trial& trial, int run = 0);

/// Energy of one execution from trials of one load on one device, at least one (docs/method.md,
/// section 12): uncertainty::mean_of_runs() of the trials. Gross and net energy, naive
/// readings and readers are those of one execution of `window`; method, sources and identity those
/// of the first trial. Rests on usable_trials(); not valid where a third of all lack an energy or
/// readings, or the device was lost. Pure.
EnergyEstimate mean_execution(const std::vector<Trial>& trials, Seconds window,
                              const MeanOptions& options);

}  // namespace truewatt::energy
