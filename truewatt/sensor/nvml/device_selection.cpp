#include "truewatt/sensor/nvml/device_selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "truewatt/base/parse.hpp"

namespace truewatt::sensor {
namespace {

constexpr std::string_view kMigPrefix = "MIG-";
constexpr std::string_view kOldMigPrefix = "MIG-GPU-";
constexpr std::string_view kGpuPrefix = "GPU-";

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view prefix) {
  return lower(text).starts_with(lower(prefix));
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// A device that a name stands for, or why it stands for none.
using Found = Result<SelectedDevice>;

/// The one position of which `matches` is true.
template <class Matches>
Found find_one(const DeviceInventory& inventory, std::string_view name, Matches matches) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < inventory.devices.size(); ++i) {
    if (matches(inventory.devices[i])) positions.push_back(i);
  }
  if (positions.size() == 1) return SelectedDevice{positions.front(), {}, {}};
  const auto reason = positions.empty() ? "names no GPU of this machine"
                                        : "is the beginning of more than one GPU's UUID";
  return Unexpected(Errc::invalid_argument,
                    fmt::format("device '{}' {}; `truewatt devices` lists them", name, reason));
}

Found find_uuid(const DeviceInventory& inventory, std::string_view uuid) {
  return find_one(inventory, uuid, [&](const DeviceIdentity& device) {
    return starts_with_ignoring_case(device.uuid, uuid);
  });
}

std::string mig_note(std::string_view instance) {
  return fmt::format(
      "MIG instance {}: it has no power sensor of its own, so the whole parent GPU is measured, "
      "with all its instances",
      instance);
}

/// The parent's UUID of "MIG-GPU-<uuid>/gi/ci" stands in the name; other instances are looked up.
Result<MigInstance> find_instance(const DeviceInventory& inventory, std::string_view name) {
  if (starts_with_ignoring_case(name, kOldMigPrefix)) {
    const auto parent = name.substr(kMigPrefix.size(), name.find('/') - kMigPrefix.size());
    return MigInstance{std::string(name), std::string(parent)};
  }
  std::vector<MigInstance> found;
  for (const auto& instance : inventory.instances) {
    if (starts_with_ignoring_case(instance.uuid, name)) found.push_back(instance);
  }
  if (found.size() == 1) return found.front();
  return Unexpected(Errc::invalid_argument,
                    fmt::format("device '{}' {}; nvidia-smi -L lists the instances", name,
                                found.empty() ? "names no MIG instance of this machine"
                                              : "is the beginning of more than one instance"));
}

Found find_mig(const DeviceInventory& inventory, std::string_view name) {
  const auto instance = find_instance(inventory, name);
  if (!instance) return Unexpected(instance.error());
  auto found = find_uuid(inventory, instance->parent_uuid);
  if (!found) return found;
  found->instance = instance->uuid;
  found->notes.push_back(mig_note(instance->uuid));
  return found;
}

/// What both kinds of list understand: UUIDs of GPUs and of MIG instances. Nothing for other text.
std::optional<Found> find_by_uuid(const DeviceInventory& inventory, std::string_view name) {
  if (starts_with_ignoring_case(name, kMigPrefix)) return find_mig(inventory, name);
  if (starts_with_ignoring_case(name, kGpuPrefix)) return find_uuid(inventory, name);
  return std::nullopt;
}

Found find_explicit(const DeviceInventory& inventory, const std::string& selector) {
  if (auto found = find_by_uuid(inventory, selector)) return *std::move(found);
  if (const auto index = parse_integer<unsigned>(selector)) {
    return find_one(inventory, selector, [&](const DeviceIdentity& device) {
      return device.index == static_cast<int>(*index);
    });
  }
  if (auto good = check_selector(selector); !good) return Unexpected(good.error());
  const auto address = parse_pci(selector);
  return find_one(inventory, selector,
                  [&](const DeviceIdentity& device) { return parse_pci(device.pci) == address; });
}

/// Adds `device` unless it is there already; then only its notes are new.
void add(std::vector<SelectedDevice>& selected, SelectedDevice device) {
  const auto known = std::ranges::find(selected, device.position, &SelectedDevice::position);
  if (known == selected.end()) {
    selected.push_back(std::move(device));
    return;
  }
  if (known->instance.empty()) known->instance = std::move(device.instance);
  known->notes.insert(known->notes.end(), device.notes.begin(), device.notes.end());
}

std::vector<SelectedDevice> every_device(const DeviceInventory& inventory) {
  std::vector<SelectedDevice> all(inventory.devices.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i].position = i;
  return all;
}

Result<std::vector<SelectedDevice>> select_explicit(const DeviceInventory& inventory,
                                                    std::span<const std::string> selectors,
                                                    const CudaEnvironment& environment) {
  std::vector<SelectedDevice> selected;
  for (const auto& selector : selectors) {
    if (selector == "all") {
      for (auto& device : every_device(inventory)) add(selected, std::move(device));
      continue;
    }
    auto found = find_explicit(inventory, selector);
    if (!found) return Unexpected(found.error());
    if (environment.visible_devices && parse_integer<unsigned>(selector)) {
      found->notes.push_back(fmt::format(
          "device {} is the driver's index; CUDA_VISIBLE_DEVICES={} does not renumber it", selector,
          *environment.visible_devices));
    }
    add(selected, *std::move(found));
  }
  return selected;
}

bool has_different_models(const DeviceInventory& inventory) {
  const auto& devices = inventory.devices;
  return std::ranges::any_of(
      devices, [&](const DeviceIdentity& device) { return device.name != devices.front().name; });
}

/// CUDA counts from the fastest GPU unless told to follow PCI; which is fastest it decides itself.
bool order_is_uncertain(const DeviceInventory& inventory, const CudaEnvironment& environment) {
  return environment.device_order.value_or("FASTEST_FIRST") != "PCI_BUS_ID" &&
         has_different_models(inventory);
}

Found find_visible(const DeviceInventory& inventory, std::string_view entry,
                   const CudaEnvironment& environment) {
  if (auto found = find_by_uuid(inventory, entry)) return *std::move(found);
  const auto index = parse_integer<unsigned>(entry);
  if (!index || *index >= inventory.devices.size()) {
    return Unexpected(Errc::invalid_argument, fmt::format("'{}' is not a visible GPU", entry));
  }
  SelectedDevice device{*index, {}, {}};
  if (order_is_uncertain(inventory, environment)) {
    device.notes.push_back(
        fmt::format("CUDA_VISIBLE_DEVICES={} was counted in PCI order, but CUDA counts the fastest "
                    "GPU first on this machine of different GPUs: set CUDA_DEVICE_ORDER=PCI_BUS_ID "
                    "or use UUIDs to be sure that this is the GPU the program runs on",
                    *environment.visible_devices));
  }
  return device;
}

/// As CUDA does: the list ends at the first entry that names no GPU.
std::vector<SelectedDevice> select_visible(const DeviceInventory& inventory,
                                           const CudaEnvironment& environment) {
  if (!environment.visible_devices) return every_device(inventory);
  std::vector<SelectedDevice> selected;
  for (const auto entry : split(*environment.visible_devices, ',')) {
    auto found = find_visible(inventory, trimmed(entry), environment);
    if (!found) break;
    add(selected, *std::move(found));
  }
  return selected;
}

Unexpected nothing_to_measure(const DeviceInventory& inventory,
                              const CudaEnvironment& environment) {
  if (inventory.devices.empty()) {
    return {Errc::unavailable,
            "the driver shows no GPU to this process: in a container pass one in (--gpus all), "
            "under Slurm ask for one (--gres=gpu), or measure a simulated one with --device "
            "sim:h100"};
  }
  return {
      Errc::unavailable,
      fmt::format("CUDA_VISIBLE_DEVICES='{}' hides all {} GPUs of this machine: unset or correct "
                  "it, or name a GPU with --device",
                  environment.visible_devices.value_or(""), inventory.devices.size())};
}

}  // namespace

std::optional<PciAddress> parse_pci(std::string_view text) {
  auto parts = split(text.substr(0, text.rfind('.')), ':');
  if (parts.size() == 2) parts.insert(parts.begin(), "0");
  if (parts.size() != 3 || text.find('.') == std::string_view::npos) return std::nullopt;
  const auto domain = parse_integer<unsigned>(parts[0], 16);
  const auto bus = parse_integer<unsigned>(parts[1], 16);
  const auto device = parse_integer<unsigned>(parts[2], 16);
  if (!domain || !bus || !device) return std::nullopt;
  return PciAddress{*domain, *bus, *device};
}

Result<void> check_selector(std::string_view selector) {
  const bool is_known = selector == "all" || starts_with_ignoring_case(selector, kMigPrefix) ||
                        starts_with_ignoring_case(selector, kGpuPrefix) ||
                        parse_integer<unsigned>(selector) || parse_pci(selector);
  if (is_known) return {};
  return Unexpected(Errc::invalid_argument,
                    fmt::format("device '{}' is not an index, a UUID (GPU-..., MIG-...), a PCI "
                                "id (0000:1b:00.0), sim:NAME or 'all'",
                                selector));
}

Result<std::vector<SelectedDevice>> select_devices(const DeviceInventory& inventory,
                                                   std::span<const std::string> selectors,
                                                   const CudaEnvironment& environment) {
  if (!selectors.empty() && !inventory.devices.empty()) {
    return select_explicit(inventory, selectors, environment);
  }
  auto selected = select_visible(inventory, environment);
  if (selected.empty()) return nothing_to_measure(inventory, environment);
  return selected;
}

}  // namespace truewatt::sensor
