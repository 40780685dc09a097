#pragma once

#include <string_view>

#include "truewatt/capture/recorder.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/sensor/power_sensor.hpp"
#include "truewatt/study/characterization.hpp"

namespace truewatt::study {

/// Gives every source of a profile this reason.
void add_reason(Profile& profile, std::string_view reason);

/// The code of an event that says on which part of a GPU in MIG mode the load worked.
inline constexpr std::string_view kMigInstance = "mig_instance";
/// Gives every source `mig_instance` where the load worked on a part of the GPU only, `gpu_busy`
/// where something else ran before the recording's first load, and `throttled` where clocks were
/// limited, as far as the device's health tells.
void judge_conditions(Profile& profile, const Recording& recording);

/// The code of an event that says which source may not be read: its name, ": ", and why.
inline constexpr std::string_view kSourceRefused = "source_refused";
/// Records what a profile must say besides what the readings do: sources that refuse for lack of
/// permission, and the part of the GPU that the load works on, where that is not all of it.
void record_circumstances(const sensor::PowerSensor& sensor, const load::Load& load, HostTime time,
                          capture::Recorder& recorder);
/// Sources that may not be read have their place in the profile too.
void add_refused(Profile& profile, const Recording& recording);

/// Widens every update period by what the host's clock strays from run to run (it is disciplined;
/// 30 ppm were seen between runs of a minute): for clocks that are real.
void allow_for_host_clock(Characterization& result);

/// What follows from all sources together: which to use, which published behaviour each shows, how
/// energy counters compare with the others, what would resolve what is open, and what ran beside
/// the load or limited it.
void conclude(Characterization& result);

}  // namespace truewatt::study
