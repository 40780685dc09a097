#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/sensor/nvml/device_selection.hpp"
#include "truewatt/sensor/nvml/nvml_library.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::sensor {

/// Which GPUs to open, and through which library. Nothing is read from the process's environment
/// here: the caller fills it in.
struct NvmlOptions {
  std::vector<std::string> selectors;  ///< `--device`, without simulated ones; empty: visible GPUs
  CudaEnvironment environment;
  /// Path of libnvidia-ml.so.1 (TRUEWATT_NVML_LIBRARY); empty: the driver's.
  std::string nvml_library;
};

/// One sensor per selected GPU. A GPU that cannot be opened (lost, say) still yields a sensor, all
/// of whose sources refuse with the reason, so that one broken GPU does not kill the rest nor drop
/// out of a total unnoticed. GPUs that this process may not use are not visible by default.
/// `unavailable` when there is no driver or no GPU, `invalid_argument` for a selector that names
/// none.
Result<std::vector<std::unique_ptr<PowerSensor>>> open_nvml_sensors(const NvmlOptions& options);
/// The same with a library that is already open.
Result<std::vector<std::unique_ptr<PowerSensor>>> open_nvml_sensors(
    const std::shared_ptr<const nvml::Library>& library, const NvmlOptions& options);

/// What `devices` and `doctor` tell of one GPU.
struct NvmlDeviceReport {
  DeviceIdentity device;
  std::optional<Error> failure;       ///< why the device itself could not be opened
  std::vector<SourceStatus> sources;  ///< each with what it answered
  std::vector<std::string> notes;
  std::vector<std::string> mig_instances;  ///< their UUIDs
};

/// Every GPU of the machine, also those that this process may not use. `unavailable` with what to
/// do when there is no driver or no GPU.
Result<std::vector<NvmlDeviceReport>> list_nvml_devices(const std::string& library);
Result<std::vector<NvmlDeviceReport>> list_nvml_devices(
    const std::shared_ptr<const nvml::Library>& library);

}  // namespace truewatt::sensor
