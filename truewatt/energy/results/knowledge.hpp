#pragma once

#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::energy {

/// What is known beside the recording.
struct Knowledge {
  const Profile* profile = nullptr;       ///< of this device's sources
  std::vector<Calibration> calibrations;  ///< of its sources against a meter
  /// What is published about such a device, where nobody characterized it
  /// (catalogue::fallback_profile()). It never makes an interval narrower nor excludes a lock, and
  /// gives way to the recording.
  const Profile* published = nullptr;
  std::vector<Reason> reservations;  ///< about all of this; every estimate carries them
};

}  // namespace truewatt::energy
