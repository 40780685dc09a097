#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/calibrate/calibration_fit.hpp"
#include "truewatt/calibrate/results.hpp"
#include "truewatt/devices/recorded_input.hpp"

namespace truewatt::calibrate {

struct CalibrateOptions {
  std::optional<MeterAccuracy> accuracy;  ///< absent: that of the meter's kind
  std::string created;                    ///< RFC 3339, UTC
};

/// A recording with the meter beside it, both on one axis.
struct MeteredRecording {
  Recording recording;
  trace::MeterTrace meter;
};

/// Calibrates every source of the recordings that sees the GPU; all of them are of one device.
/// Sources that cannot be are among the run's `refused`. Errors: insufficient_data when none can,
/// invalid_argument for recordings of different devices.
Result<CalibrationRun> calibrate_recordings(const std::vector<MeteredRecording>& recordings,
                                            const CalibrateOptions& options);

/// The same from files, each read as `analyze` reads it. Errors also: those of reading, and
/// invalid_argument for a path without a meter or without windows.
Result<CalibrationRun> calibrate_files(const std::vector<std::filesystem::path>& paths,
                                       const devices::RecordedInputOptions& input,
                                       const CalibrateOptions& options);

}  // namespace truewatt::calibrate
