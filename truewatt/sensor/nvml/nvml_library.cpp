#include "truewatt/sensor/nvml/nvml_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <initializer_list>
#include <vector>

#include "truewatt/base/loader_reason.hpp"
#include "truewatt/sensor/nvml/nvml_errors.hpp"

namespace truewatt::sensor::nvml {
namespace {

/// Where the driver's library is looked for: the loader's path, then WSL's folder, which the
/// loader does not always know.
std::vector<std::string> candidates(const std::string& path) {
  if (!path.empty()) return {path};
  const std::string name(kDefaultLibrary);
  return {name, "/usr/lib/wsl/lib/" + name};
}

/// Sets `function` to the first of `names` that the library exports.
template <class Function>
void bind(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    if (function != nullptr) return;
  }
}

Api bind_all(void* library) {
  Api api;
  const auto get = [library](auto& function, auto... names) {
    bind(library, function, {names...});
  };
  get(api.init, "nvmlInit_v2", "nvmlInit");
  get(api.init_with_flags, "nvmlInitWithFlags");
  get(api.shutdown, "nvmlShutdown");
  get(api.device_count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount");
  get(api.handle_by_index, "nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex");
  get(api.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  get(api.error_string, "nvmlErrorString");
  get(api.driver_version, "nvmlSystemGetDriverVersion");
  get(api.name, "nvmlDeviceGetName");
  get(api.uuid, "nvmlDeviceGetUUID");
  get(api.pci_info, "nvmlDeviceGetPciInfo_v3");  // the older ones fill a smaller struct
  get(api.mig_mode, "nvmlDeviceGetMigMode");
  get(api.mig_max_count, "nvmlDeviceGetMaxMigDeviceCount");
  get(api.mig_handle_by_index, "nvmlDeviceGetMigDeviceHandleByIndex");
  get(api.mig_parent, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle");
  get(api.power_usage, "nvmlDeviceGetPowerUsage");
  get(api.enforced_limit, "nvmlDeviceGetEnforcedPowerLimit");
  get(api.limit_constraints, "nvmlDeviceGetPowerManagementLimitConstraints");
  get(api.total_energy, "nvmlDeviceGetTotalEnergyConsumption");
  get(api.field_values, "nvmlDeviceGetFieldValues");
  get(api.samples, "nvmlDeviceGetSamples");
  get(api.utilization, "nvmlDeviceGetUtilizationRates");
  get(api.performance_state, "nvmlDeviceGetPerformanceState", "nvmlDeviceGetPowerState");
  get(api.temperature, "nvmlDeviceGetTemperature");
  get(api.temperature_v, "nvmlDeviceGetTemperatureV");
  get(api.clock_info, "nvmlDeviceGetClockInfo");
  get(api.clocks_event_reasons, "nvmlDeviceGetCurrentClocksEventReasons",
      "nvmlDeviceGetCurrentClocksThrottleReasons");
  get(api.memory_info, "nvmlDeviceGetMemoryInfo");
  return api;
}

/// nvmlInit_v2 where it exists: it works with the flag-less default, as nvmlInitWithFlags(0) does.
Return initialise(const Api& api) {
  return api.init != nullptr ? api.init() : call(api.init_with_flags, 0U);
}

/// A code that says nothing is explained in the library's own words.
Unexpected not_initialised(const Api& api, Return code, const std::string& name) {
  auto error = describe(code, name, "nvmlInit");
  if (code == Return::unknown && api.error_string != nullptr) {
    error.message += fmt::format(" (the library says: {})", api.error_string(code));
  }
  return Unexpected(std::move(error));
}

Unexpected not_loaded(const std::string& reason) {
  return {Errc::unavailable,
          fmt::format("cannot load NVML ({}); install the NVIDIA driver, in a container pass the "
                      "GPU in (--gpus all, NVIDIA_DRIVER_CAPABILITIES=utility), or name a "
                      "simulated GPU with --device sim:h100",
                      reason)};
}

}  // namespace

Library::Library(const Api& api, std::string name, std::shared_ptr<void> handle)
    : api_(api), name_(std::move(name)), handle_(std::move(handle)) {
  std::array<char, kVersionSize> version{};
  if (call(api_.driver_version, version.data(), std::uint32_t{kVersionSize}) == Return::success) {
    driver_version_ = version.data();
  }
}

Library::~Library() { api_.shutdown(); }

Result<std::shared_ptr<const Library>> Library::open(const std::string& path) {
  std::string reason;
  for (const auto& candidate : candidates(path)) {
    void* raw = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (raw == nullptr) {
      if (reason.empty()) reason = loader_reason(dlerror(), candidate);
      continue;
    }
    std::shared_ptr<void> handle(raw, [](void* library) { dlclose(library); });
    return adopt(bind_all(raw), candidate, std::move(handle));
  }
  return not_loaded(reason);
}

Result<std::shared_ptr<const Library>> Library::adopt(const Api& api, std::string name,
                                                      std::shared_ptr<void> handle) {
  const bool initialisable = api.init != nullptr || api.init_with_flags != nullptr;
  if (!initialisable || !api.shutdown || !api.device_count || !api.handle_by_index) {
    return not_loaded(name + " lacks nvmlInit, nvmlShutdown or the device enumeration");
  }
  const auto code = initialise(api);
  if (code != Return::success) return not_initialised(api, code, name);
  return std::shared_ptr<const Library>(new Library(api, std::move(name), std::move(handle)));
}

}  // namespace truewatt::sensor::nvml
