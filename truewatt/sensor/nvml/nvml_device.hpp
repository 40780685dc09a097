#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/sensor/nvml/nvml_library.hpp"
#include "truewatt/sensor/power_sensor.hpp"

namespace truewatt::sensor::nvml {

/// One device handle with its calls made typed: SI units, driver stamps, errors as sentences that
/// begin with the device. Calls go to the driver each time and may block for milliseconds.
class DeviceCalls {
 public:
  DeviceCalls(std::shared_ptr<const Library> library, Device handle, int index);

  /// Name, UUID, PCI id, driver and power limit, each empty where the device does not say.
  const DeviceIdentity& identity() const { return identity_; }

  /// Watts, without a stamp.
  Result<Reading> power_usage() const;
  /// Joules since the driver was loaded, without a stamp.
  Result<Reading> total_energy() const;
  /// Watts or joules, without a stamp: a field's timestamp is that of the call, also when the value
  /// is an old one out of the client's cache (measured on an H200), so it dates nothing. 0 from a
  /// scope other than the GPU is how drivers say that they have none: `unsupported`.
  Result<Reading> field(Field field, FieldScope scope) const;

  /// Slots of the driver's ring of power samples.
  Result<std::uint32_t> ring_size() const;
  /// Samples newer than `since`, oldest first, asking for at most `capacity`. Grows `capacity` when
  /// the driver has more.
  Result<std::vector<Reading>> ring(std::optional<DriverTime> since, std::uint32_t& capacity) const;

  /// Each part absent where its call fails; an error only when nothing answers and the GPU is lost.
  Result<HealthSample> health() const;

 private:
  const Api& api() const { return library_->api(); }
  std::string subject() const;
  Return temperature(std::int32_t& celsius) const;
  Unexpected failed(Return code, std::string_view call) const;

  std::shared_ptr<const Library> library_;
  Device handle_;
  DeviceIdentity identity_;
};

/// "nvmlDeviceGetFieldValues(field 186, scope gpu)", for messages.
std::string to_string(Field field, FieldScope scope);

}  // namespace truewatt::sensor::nvml
