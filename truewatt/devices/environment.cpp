#include <cstdlib>

#include "truewatt/devices/device_set.hpp"

namespace truewatt::devices {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

Environment environment_of_process() {
  return {.cuda_visible_devices = variable("CUDA_VISIBLE_DEVICES"),
          .cuda_device_order = variable("CUDA_DEVICE_ORDER"),
          .nvml_library = variable("TRUEWATT_NVML_LIBRARY").value_or(""),
          .cuda_library = variable("TRUEWATT_CUDA_LIBRARY").value_or(""),
          .sysfs = variable("TRUEWATT_SYSFS").value_or("")};
}

}  // namespace truewatt::devices
