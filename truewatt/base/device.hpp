#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/units.hpp"

namespace truewatt {

/// Who a device is. UUID and PCI id identify it; the index is the driver's and never enough alone.
struct DeviceIdentity {
  int index = 0;
  std::string name;    ///< "NVIDIA H200", "sim:a100"
  std::string uuid;    ///< "GPU-..." ; of a simulated device a hash of its description
  std::string pci;     ///< "00000000:1B:00.0"
  std::string driver;  ///< driver version, "simulated" for simulated devices
  /// The highest power limit that it can be set to, where it says; absent: not known.
  std::optional<Watts> power_limit{};
  std::string host{};  ///< of a log of several hosts: which; else empty
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

/// What the UUIDs of the host's own meters begin with: sockets, not GPUs.
inline constexpr std::string_view kHostUuid = "HOST-";
inline bool is_host(const DeviceIdentity& device) { return device.uuid.starts_with(kHostUuid); }

/// A GPU in MIG mode, cut into instances: a program runs on one of them, the sensors see them all.
struct MigMode {
  std::string chosen;  ///< "MIG-...": the instance that was asked for by name; empty: none was
  std::vector<std::string> instances;  ///< UUIDs of those that the driver lists
};

}  // namespace truewatt
