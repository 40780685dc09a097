#pragma once

#include <string>

namespace truewatt {

/// Who a device is. UUID and PCI id identify it; the index is the driver's and never enough alone.
struct DeviceIdentity {
  int index = 0;
  std::string name;    ///< "NVIDIA H200", "sim:a100"
  std::string uuid;    ///< "GPU-..." ; of a simulated device a hash of its description
  std::string pci;     ///< "00000000:1B:00.0"
  std::string driver;  ///< driver version, "simulated" for simulated devices
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

}  // namespace truewatt
