#pragma once

#include "truewatt/capture/recorder.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::characterize {

/// Records what a profile must say besides what the readings do: sources that refuse for lack of
/// permission, and the part of the GPU that the load works on, where that is not all of it.
void record_circumstances(const sensor::PowerSensor& sensor, const load::Load& load, HostTime time,
                          capture::Recorder& recorder);

}  // namespace truewatt::characterize
