#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/capture/source_poller.hpp"
#include "truewatt/devices/device_set.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::devices {

/// A device as `devices` lists it.
struct ListedDevice {
  DeviceIdentity identity;
  std::vector<sensor::SourceStatus> sources;
  std::vector<std::string> notes;
};

/// The named devices, or without names every GPU of the machine, also those that
/// CUDA_VISIBLE_DEVICES hides. Errors as open_devices.
Result<std::vector<ListedDevice>> list_devices(const std::vector<std::string>& selectors,
                                               const Environment& environment);

/// The host's own power sources, a socket each: those of the CPU beside the GPUs.
std::vector<ListedDevice> list_host(const Environment& environment);

/// What sampling one device costs: seconds per second, and per source.
struct SourceCost {
  SourceId source;
  double polls_per_s = 0.0;
  double samples_per_s = 0.0;
  std::optional<double> update_period_s;
};
struct SamplingCost {
  DeviceIdentity device;
  double wall_s = 0.0;
  double cpu_share = 0.0;     ///< of one core, everything
  double driver_share = 0.0;  ///< of one core, inside the driver's calls
  std::vector<SourceCost> sources;
};

/// Samples every device of the set for so long on the real clock and says what it cost. Interrupted
/// by `stop`, it says what it cost until then.
std::vector<SamplingCost> sampling_cost(DeviceSet& set, Seconds duration,
                                        const capture::PollOptions& polling,
                                        const std::stop_token& stop);

}  // namespace truewatt::devices
