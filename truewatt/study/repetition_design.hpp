#pragma once

#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::study {

/// How one load is repeated: trials of several executions one after the other.
struct RepetitionDesign {
  int executions = 1;  ///< per trial
  /// Waited after every execution but the last, so that each begins at another phase of the
  /// sensor's update period.
  Seconds pause{0};
  Seconds period{0};  ///< the update period that is meant
};

/// The update period whose phases matter: the longest of the GPU's usable sources; that of most
/// sensors where nothing is known. Pure.
Seconds period_to_spread(const Profile* profile);

/// Trials of about a second of work, whose executions advance by the golden section of the sensor's
/// update period, up or down, whichever waits less: phases then fill the period evenly however many
/// there are (docs/method.md, section 12). Pure.
RepetitionDesign repetition_design(Seconds execution, Seconds period);

/// `executions` of the load with the design's pauses, as one load. Trial number `trial`, counted
/// from 0, begins that many golden sections of the period later, idle. Pure.
load::Schedule trial_schedule(const load::Schedule& once, const RepetitionDesign& design,
                              int executions, int trial);

/// Idle before a trial's first execution.
Seconds lead_of(const RepetitionDesign& design, int trial);

/// When the executions of a trial begin, after its schedule's begin. Pure.
std::vector<Seconds> begins_of(const load::Schedule& once, const RepetitionDesign& design,
                               int executions, int trial);

}  // namespace truewatt::study
