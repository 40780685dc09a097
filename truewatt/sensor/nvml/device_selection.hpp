#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/device.hpp"
#include "truewatt/base/result.hpp"

namespace truewatt::sensor {

/// A slice of a GPU. It has no power sensor of its own: its parent is measured.
struct MigInstance {
  std::string uuid;  ///< "MIG-..."
  std::string parent_uuid;
};

/// What the driver lists: the GPUs this process may use, in the driver's order (that of PCI), and
/// their MIG instances.
struct DeviceInventory {
  std::vector<DeviceIdentity> devices;
  std::vector<MigInstance> instances;
};

/// The variables by which CUDA programs are given their GPUs. Absent and empty differ: an empty
/// list hides every GPU.
struct CudaEnvironment {
  std::optional<std::string> visible_devices;  ///< CUDA_VISIBLE_DEVICES
  std::optional<std::string> device_order;     ///< CUDA_DEVICE_ORDER
};

/// One GPU to measure, and what the reader of its numbers must know.
struct SelectedDevice {
  std::size_t position = 0;  ///< in DeviceInventory::devices
  std::string instance;      ///< "MIG-...": the MIG instance by which it was named, if it was
  std::vector<std::string> notes;
};

/// The GPUs to measure, each once, in the order asked for.
///
/// A selector is "all", the driver's index, a UUID or an unambiguous beginning of one ("GPU-5f2..",
/// "MIG-.."), or a PCI id ("1B:00.0", "0000:1b:00.0", "00000000:1B:00.0"); explicit selectors are
/// the driver's and are not renumbered by CUDA_VISIBLE_DEVICES. Without selectors: what a CUDA
/// program started here would see. `invalid_argument` for a selector that names nothing, and
/// `unavailable` when there is no GPU or all are hidden.
Result<std::vector<SelectedDevice>> select_devices(const DeviceInventory& inventory,
                                                   std::span<const std::string> selectors,
                                                   const CudaEnvironment& environment);

/// `invalid_argument` for what can be no selector on any machine.
Result<void> check_selector(std::string_view selector);

/// A PCI address in any of its spellings.
struct PciAddress {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  friend bool operator==(const PciAddress&, const PciAddress&) = default;
};
std::optional<PciAddress> parse_pci(std::string_view text);

}  // namespace truewatt::sensor
