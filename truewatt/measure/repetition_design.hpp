#pragma once

#include <optional>
#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/replication/readers/good_practice.hpp"

namespace truewatt::measure {

/// How one load is repeated: trials of several executions one after the other.
struct RepetitionDesign {
  int executions = 1;  ///< per trial
  int group = 1;       ///< so many one after the other, ...
  /// ... then this is waited, so that each group begins at another phase of the sensors' update
  /// periods.
  Seconds pause{0};
};

/// Executions of a trial: as many as take about a second, or one that takes longer. Where so many
/// are asked for that fewer than kFewestTrials such trials would come of it, all of them: the
/// scatter of a few short trials tells less than what is known of each. Pure.
int executions_of_trial(Seconds execution, const std::optional<int>& asked_for);

/// Trials of so many executions, with the shortest pause that lets their phases fill the sensors'
/// update periods, at least one, evenly (docs/method.md, section 12). Pure.
RepetitionDesign repetition_design(Seconds execution, const std::vector<Seconds>& periods,
                                   int executions);

/// One trial of Yang 2024's good practice (section V-A): 32 executions or as many as take 5 s,
/// whichever is more; where the sensor looks part of the time in eight groups, with its window's
/// length between them. Pure.
RepetitionDesign design_of(const replication::GoodPractice& practice, Seconds execution);

/// `executions` of the load with the design's pauses, as one load that begins with `lead` of idle.
/// Pure.
load::Schedule trial_schedule(const load::Schedule& once, const RepetitionDesign& design,
                              int executions, Seconds lead);

/// Idle between the executions of a trial, all together. Pure.
Seconds pauses_of(const RepetitionDesign& design, int executions);

/// The executions of a trial that run without a pause between them, where the first begins at
/// `begin`. Pure.
std::vector<replication::ExecutionGroup> groups_of(const RepetitionDesign& design,
                                                   Seconds execution, int executions,
                                                   HostTime begin);

/// When the executions of a trial begin, after its schedule's begin. Pure.
std::vector<Seconds> begins_of(const load::Schedule& once, const RepetitionDesign& design,
                               int executions, Seconds lead);

}  // namespace truewatt::measure
