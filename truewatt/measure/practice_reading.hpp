#pragma once

#include "truewatt/devices/device_set.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/measure/repetition_design.hpp"
#include "truewatt/replication/readers/good_practice.hpp"

namespace truewatt::measure {

/// Yang 2024's practice for the source that readers take of this device; as if that looked all the
/// time where nothing is known of it.
replication::GoodPractice practice_for(const devices::Device& device);

/// Readings of a trial by that practice, as an energy of all its executions; the recording's first
/// window is the trial's. Pure.
energy::ReaderEnergy read_by_practice(const Recording& recording, const RepetitionDesign& design,
                                      Seconds execution, int executions,
                                      const replication::GoodPractice& practice);

}  // namespace truewatt::measure
