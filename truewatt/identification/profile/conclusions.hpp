#pragma once

#include "truewatt/identification/profile/characterization.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::identification {

/// Gives every source of a profile this reason.
void add_reason(Profile& profile, ProfileReason reason);

/// Gives every source `mig_instance` where the load worked on a part of the GPU only, `gpu_busy`
/// where something else ran before the recording's first load, and `throttled` where clocks were
/// limited, as far as the device's health tells.
void judge_conditions(Profile& profile, const Recording& recording);

/// Sources that may not be read (events `source_refused`) have their place in the profile too.
void add_refused(Profile& profile, const Recording& recording);

/// Widens every update period by what the host's clock strays from run to run (it is disciplined;
/// 30 ppm were seen between runs of a minute): for clocks that are real.
void allow_for_host_clock(Characterization& result);

/// What follows from all sources together: which to use, which published behaviour each shows, how
/// energy counters compare with the others, what would resolve what is open, and what ran beside
/// the load or limited it.
void conclude(Characterization& result);

}  // namespace truewatt::identification
