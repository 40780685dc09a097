#pragma once

#include <cstdint>

#include "truewatt/model/device_description.hpp"

namespace truewatt::nvml_sim {

/// What NVML tells of a board that is fixed and that a device description does not hold: plausible
/// constants by the name of the built-in device, those of a data-centre board otherwise.
struct BoardFacts {
  unsigned architecture = 0;  ///< NVML_DEVICE_ARCH_*; 0xffffffff: unknown
  int compute_major = 0;      ///< 0: unknown
  int compute_minor = 0;
  std::uint64_t memory_bytes = 0;
  unsigned memory_clock_mhz = 0;
  unsigned max_sm_clock_mhz = 1980;
};
BoardFacts board_facts(const DeviceDescription& device);

/// Power limits in watts, from the description's idle and full power.
struct PowerLimits {
  double least = 0.0;
  double greatest = 0.0;
};
PowerLimits power_limits(const DeviceDescription& device);

}  // namespace truewatt::nvml_sim
