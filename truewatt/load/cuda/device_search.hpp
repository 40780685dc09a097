#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/device.hpp"
#include "truewatt/load/cuda/driver_api.hpp"

namespace truewatt::load::cuda {

/// `GPU-8f2b1c3d-....` as NVML and nvidia-smi print it.
std::string format_uuid(const DriverUuid& uuid);

/// Where a device sits. NVML and CUDA print domains of different widths, so texts do not compare.
struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  friend bool operator==(const PciAddress&, const PciAddress&) = default;
};

/// Reads `00000000:1B:00.0` or `0000:1b:00.0`; nothing when the text is not of that form.
std::optional<PciAddress> parse_pci_address(std::string_view text);

/// A device as CUDA sees it.
struct CudaDevice {
  DeviceHandle handle = 0;
  int ordinal = 0;
  std::string uuid;  ///< of a MIG instance its own, written "GPU-..." as any other
  std::string pci;   ///< of a MIG instance its parent's
  int multiprocessors = 0;
  int max_threads_per_block = 0;
  int compute_capability = 0;  ///< 90 for 9.0
  std::string instance;        ///< "MIG-...": set where this is a MIG instance
};

/// The CUDA device that is `device`: by UUID, else by PCI address, never by index (CUDA and NVML
/// number devices differently). The error lists what CUDA sees.
Result<CudaDevice> find_device(const DriverApi& api, const DeviceIdentity& device);

/// The MIG instance of `device` that CUDA shows. CUDA gives an instance's own UUID and its parent's
/// PCI id (cuDeviceGetUuid_v2; drivers before CUDA 11.4 give the parent's UUID). The error says
/// which instance it shows instead of the chosen one, and how to choose.
Result<CudaDevice> find_instance(const DriverApi& api, const DeviceIdentity& device,
                                 const MigMode& mig);

/// `error`, with what MIG mode makes the reader do about it.
Error with_mig_advice(Error error, const MigMode& mig);

}  // namespace truewatt::load::cuda
