#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/clock.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/counters/counters.hpp"
#include "truewatt/devices/device_knowledge.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/sensor/power_sensor.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::devices {

/// What a process was started with; read once by whoever starts us, so that nothing below depends
/// on hidden state. Names are those of the variables.
struct Environment {
  std::optional<std::string> cuda_visible_devices;
  std::optional<std::string> cuda_device_order;
  // Of a process with rights beyond its user's these three stay empty.
  std::string nvml_library;  ///< TRUEWATT_NVML_LIBRARY; empty: the driver's
  std::string cuda_library;  ///< TRUEWATT_CUDA_LIBRARY; empty: the driver's
  std::string sysfs;         ///< TRUEWATT_SYSFS, a tree like the kernel's; empty: /sys
};

/// Those of this process. For programs' entries alone: the command line's and the library's.
Environment environment_of_process();

/// How simulated devices keep time.
enum class Pace {
  virtual_time,  ///< as fast as it goes (measure, demo, doctor)
  real_time,     ///< with the machine's clock (run)
};

/// One opened device and what is known about it.
struct Device {
  std::shared_ptr<sensor::PowerSensor> sensor;
  std::shared_ptr<simgpu::SimulatedGpu> simulated;  ///< null for real devices
  DeviceKnowledge known;

  energy::Knowledge knowledge() const { return known.for_estimates(); }
};

/// The host's own power sensors (sensor/host/host_sensors.hpp), where the node's energy is wanted.
struct Host {
  std::vector<std::unique_ptr<sensor::PowerSensor>> sensors;
  std::string sysfs;  ///< where they were looked for
};

/// Devices that are measured together, on one clock.
struct DeviceSet {
  std::shared_ptr<Clock> clock;
  HostTime origin;  ///< when simulated devices were started
  std::vector<Device> devices;
  std::optional<Host> host;
  std::vector<std::string> notes;
  /// When what was last played here had ended; absent: the devices may have worked until now.
  std::optional<HostTime> idle_since;

  bool simulated() const { return !devices.empty() && devices.front().simulated != nullptr; }
};

struct DeviceRequest {
  std::vector<std::string> selectors;  ///< `--device`; empty: every visible GPU
  Pace pace = Pace::virtual_time;
  std::uint64_t seed = 1;
  std::vector<std::filesystem::path> profiles;      ///< `--profile`; empty: what was saved
  std::vector<std::filesystem::path> calibrations;  ///< `--calibration`; empty: what was saved
  bool node = false;  ///< `--node`: the host's own sensors too; real time only
};

/// How long opening GPUs may take: a driver that no client holds loads first, which takes seconds.
inline constexpr Nanoseconds kOpenPatience = std::chrono::seconds(8);

/// Opens the devices, with the profiles and calibrations that were saved for them or are named in
/// the request, or what the catalogue has where there is no profile; `notes` say which were used,
/// why others were not, and how to make the missing ones. Simulated and real
/// devices do not mix: they live on different clocks. Errors: unavailable (no GPU; the message
/// names sim:h100), timed_out (the driver does not answer), invalid_argument, permission, and
/// those of the files.
Result<DeviceSet> open_devices(const DeviceRequest& request, const Environment& environment);

/// A load for `device`: simulated, or the FMA chain on a real GPU.
Result<std::unique_ptr<load::Load>> make_load(DeviceSet& set, Device& device,
                                              const Environment& environment);

/// Hardware counters of what a load made for this device launches on the thread that counts.
/// Refusals come with the first count.
std::unique_ptr<counters::Counters> make_counters(const Device& device);

/// A load for the CPU beside `device`: a simulated superchip's, or this machine's.
Result<std::unique_ptr<load::Load>> make_cpu_load(DeviceSet& set, Device& device);

/// The host's own power sensors (sensor/host/host_sensors.hpp).
std::vector<std::unique_ptr<sensor::PowerSensor>> open_host_sensors(const Environment& environment);

}  // namespace truewatt::devices
