#pragma once

#include <cstdint>
#include <stop_token>

#include "truewatt/calibrate/calibrate.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/sensor/meter/meter.hpp"

namespace truewatt::calibrate {

struct LiveCalibrationOptions {
  CalibrateOptions calibrate;
  int repetitions = 8;  ///< of every level, 1 to 100
  std::uint64_t seed = 1;
  capture::PollOptions polling;
  experiment::Progress progress;
  std::stop_token stop;
};

/// The protocol of Yang 2024, Fig. 8, as one load: 100, 80, 60, 40 and 20 % of the SMs and a single
/// block for 6 s each, so often, with idle of 5 to 6 s, drawn with `seed`, before and between.
load::Schedule calibration_schedule(int repetitions, std::uint64_t seed);

/// Plays that load on the set's only device beside a meter and calibrates its sources. `meter`: a
/// live one, null for a simulated device, which has a simulated one. Errors: invalid_argument for
/// several devices, those of the load, the meter and of calibrate_recordings.
Result<CalibrationRun> calibrate_live(devices::DeviceSet& set, sensor::Meter* meter,
                                      const devices::Environment& environment,
                                      const LiveCalibrationOptions& options);

}  // namespace truewatt::calibrate
