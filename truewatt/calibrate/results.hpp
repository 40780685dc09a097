#pragma once

#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/model/calibration.hpp"

namespace truewatt::calibrate {

/// A source that could not be calibrated, and why.
struct RefusedSource {
  SourceId source;
  std::string message;
};

/// What `calibrate` found out: one calibration (JSON schema `truewatt.calibration/1`) per source.
struct CalibrationRun {
  DeviceIdentity device;
  std::vector<Calibration> calibrations;  ///< in order of sources
  std::vector<RefusedSource> refused;
  std::vector<std::string> notes;
};

}  // namespace truewatt::calibrate
