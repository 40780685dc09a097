#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/sensor/nvml/nvml_abi.hpp"

namespace truewatt::sensor::nvml {

/// The functions of NVML that are used. Any but the first four may be null: old drivers lack some,
/// new ones drop deprecated ones.
struct Api {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*device_count)(std::uint32_t*) = nullptr;
  Return (*handle_by_index)(std::uint32_t, Device*) = nullptr;

  Return (*init_with_flags)(std::uint32_t) = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*driver_version)(char*, std::uint32_t) = nullptr;
  Return (*handle_by_uuid)(const char*, Device*) = nullptr;
  Return (*name)(Device, char*, std::uint32_t) = nullptr;
  Return (*uuid)(Device, char*, std::uint32_t) = nullptr;
  Return (*pci_info)(Device, PciInfo*) = nullptr;
  Return (*mig_mode)(Device, std::uint32_t*, std::uint32_t*) = nullptr;
  Return (*mig_max_count)(Device, std::uint32_t*) = nullptr;
  Return (*mig_handle_by_index)(Device, std::uint32_t, Device*) = nullptr;
  Return (*mig_parent)(Device, Device*) = nullptr;

  Return (*power_usage)(Device, std::uint32_t*) = nullptr;
  Return (*enforced_limit)(Device, std::uint32_t*) = nullptr;
  Return (*limit_constraints)(Device, std::uint32_t*, std::uint32_t*) = nullptr;
  Return (*total_energy)(Device, unsigned long long*) = nullptr;
  Return (*field_values)(Device, std::int32_t, FieldValue*) = nullptr;
  Return (*samples)(Device, SamplingType, unsigned long long, ValueType*, std::uint32_t*,
                    Sample*) = nullptr;

  Return (*utilization)(Device, Utilization*) = nullptr;
  Return (*performance_state)(Device, std::int32_t*) = nullptr;
  Return (*temperature)(Device, std::int32_t, std::uint32_t*) = nullptr;
  Return (*temperature_v)(Device, Temperature*) = nullptr;
  Return (*clock_info)(Device, std::int32_t, std::uint32_t*) = nullptr;
  Return (*clocks_event_reasons)(Device, unsigned long long*) = nullptr;
  Return (*memory_info)(Device, Memory*) = nullptr;
};

inline constexpr std::string_view kDefaultLibrary = "libnvidia-ml.so.1";

/// An initialised NVML: shut down (and unloaded) with the last owner. NVML itself is thread-safe,
/// and so is this.
class Library {
 public:
  /// Loads and initialises the library at `path`; empty means the driver's own, by its usual name.
  /// `unavailable` when there is none or its driver is not loaded, `permission` when the driver
  /// refuses us.
  static Result<std::shared_ptr<const Library>> open(const std::string& path);
  /// Initialises functions that are already in the process. `handle` is closed at the end.
  static Result<std::shared_ptr<const Library>> adopt(const Api& api, std::string name,
                                                      std::shared_ptr<void> handle = nullptr);

  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Api& api() const { return api_; }
  /// The name it was loaded under, for messages.
  const std::string& name() const { return name_; }
  /// The driver's version, empty when the driver does not say.
  const std::string& driver_version() const { return driver_version_; }

 private:
  Library(const Api& api, std::string name, std::shared_ptr<void> handle);

  Api api_;
  std::string name_;
  std::shared_ptr<void> handle_;
  std::string driver_version_;
};

/// Calls `function`, or answers function_not_found where the library lacks it.
template <class Function, class... Arguments>
Return call(Function function, Arguments... arguments) {
  return function == nullptr ? Return::function_not_found : function(arguments...);
}

}  // namespace truewatt::sensor::nvml
