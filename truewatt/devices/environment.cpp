#include <cstdlib>

#include "truewatt/devices/device_set.hpp"

namespace truewatt::devices {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

/// Of a process with rights beyond its user's (setuid, file capabilities) nothing is loaded or
/// looked at that its user chose, as LD_PRELOAD is ignored then.
std::string trusted(const char* name) {
  const char* value = ::secure_getenv(name);
  return value ? value : "";
}

}  // namespace

Environment environment_of_process() {
  return {.cuda_visible_devices = variable("CUDA_VISIBLE_DEVICES"),
          .cuda_device_order = variable("CUDA_DEVICE_ORDER"),
          .nvml_library = trusted("TRUEWATT_NVML_LIBRARY"),
          .cuda_library = trusted("TRUEWATT_CUDA_LIBRARY"),
          .sysfs = trusted("TRUEWATT_SYSFS")};
}

}  // namespace truewatt::devices
