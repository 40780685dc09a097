#include "truewatt/load/cuda/device_search.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace truewatt::load::cuda {
namespace {

/// The hexadecimal number before `end` of `text`, both cut off.
std::optional<unsigned> take_hex(std::string_view& text, char end) {
  unsigned value = 0;
  const char* last = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), last, value, 16);
  if (failure != std::errc() || stop == last || *stop != end) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return value;
}

constexpr std::string_view kMigPrefix = "MIG-";
constexpr std::string_view kOldMigPrefix = "MIG-GPU-";  // MIG-GPU-<uuid>/gi/ci, before CUDA 11.4

/// The hexadecimal part: a MIG instance is "MIG-..." to one library and "GPU-..." to the other.
std::string uuid_digits(std::string_view uuid) {
  const auto dash = uuid.find('-');
  std::string digits(dash == std::string_view::npos ? uuid : uuid.substr(dash + 1));
  std::transform(digits.begin(), digits.end(), digits.begin(), [](char c) {
    return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return digits;
}

Result<CudaDevice> describe(const DriverApi& api, int ordinal) {
  CudaDevice device;
  device.ordinal = ordinal;
  DriverUuid uuid{};
  std::array<char, 64> pci{};
  int major = 0;
  int minor = 0;
  const struct {
    Status status;
    const char* doing;
  } calls[] = {
      {api->device_get(&device.handle, ordinal), "get a CUDA device"},
      {api->device_uuid(&uuid, device.handle), "read a CUDA device's UUID"},
      {api->device_pci_bus_id(pci.data(), static_cast<int>(pci.size()) - 1, device.handle),
       "read a CUDA device's PCI id"},
      {api->device_attribute(&device.multiprocessors, kMultiprocessorCount, device.handle),
       "read a CUDA device's number of SMs"},
      {api->device_attribute(&device.max_threads_per_block, kMaxThreadsPerBlock, device.handle),
       "read a CUDA device's largest block"},
      {api->device_attribute(&major, kComputeCapabilityMajor, device.handle),
       "read a CUDA device's compute capability"},
      {api->device_attribute(&minor, kComputeCapabilityMinor, device.handle),
       "read a CUDA device's compute capability"},
  };
  for (const auto& call : calls) {
    if (call.status != kSuccess) return api.failure(call.status, call.doing);
  }
  device.compute_capability = 10 * major + minor;
  device.uuid = format_uuid(uuid);
  device.pci = pci.data();
  return device;
}

Result<std::vector<CudaDevice>> list_devices(const DriverApi& api) {
  int count = 0;
  if (auto counted = api.check(api->device_count(&count), "count the CUDA devices"); !counted) {
    return Unexpected(counted.error());
  }
  std::vector<CudaDevice> devices;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    auto device = describe(api, ordinal);
    if (!device) return Unexpected(device.error());
    devices.push_back(std::move(*device));
  }
  return devices;
}

const CudaDevice* match(const std::vector<CudaDevice>& devices, const DeviceIdentity& wanted) {
  for (const CudaDevice& device : devices) {
    if (!wanted.uuid.empty() && uuid_digits(device.uuid) == uuid_digits(wanted.uuid))
      return &device;
  }
  const auto address = parse_pci_address(wanted.pci);
  for (const CudaDevice& device : devices) {
    if (address && parse_pci_address(device.pci) == address) return &device;
  }
  return nullptr;
}

bool same_uuid(std::string_view a, std::string_view b) {
  return !a.empty() && uuid_digits(a) == uuid_digits(b);
}

std::string listed(const std::vector<CudaDevice>& devices) {
  std::vector<std::string> seen;
  for (const CudaDevice& candidate : devices) {
    seen.push_back(fmt::format("{} ({})", candidate.uuid, candidate.pci));
  }
  return seen.empty() ? std::string("none") : fmt::format("{}", fmt::join(seen, ", "));
}

/// Whether a CUDA device of the right board is what was chosen, as far as its UUID can tell: one
/// with its parent's UUID is an instance of an older driver, whose names are not UUIDs.
bool may_be_chosen(const CudaDevice& candidate, const DeviceIdentity& parent, const MigMode& mig) {
  if (mig.chosen.empty() || same_uuid(candidate.uuid, mig.chosen)) return true;
  return mig.chosen.starts_with(kOldMigPrefix) || same_uuid(candidate.uuid, parent.uuid);
}

/// What to call the instance: by its UUID, unless CUDA gives the parent's.
std::string name_of(const CudaDevice& instance, const DeviceIdentity& parent, const MigMode& mig) {
  if (!same_uuid(instance.uuid, parent.uuid)) {
    return std::string(kMigPrefix) + uuid_digits(instance.uuid);
  }
  return mig.chosen.empty() ? "MIG-?" : mig.chosen;
}

}  // namespace

std::string format_uuid(const DriverUuid& uuid) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", uuid.bytes[i]);
  }
  return text;
}

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  const auto domain = take_hex(text, ':');
  const auto bus = domain ? take_hex(text, ':') : std::nullopt;
  const auto device = bus ? take_hex(text, '.') : std::nullopt;
  if (!device) return std::nullopt;
  return PciAddress{*domain, *bus, *device};
}

Result<CudaDevice> find_device(const DriverApi& api, const DeviceIdentity& device) {
  const auto devices = list_devices(api);
  if (!devices) return Unexpected(devices.error());
  if (const CudaDevice* found = match(*devices, device)) return *found;
  return Unexpected(Errc::unavailable,
                    fmt::format("CUDA does not see device {} ({}, {}); it sees {}; check "
                                "CUDA_VISIBLE_DEVICES (where another GPU is in MIG mode, CUDA "
                                "shows this one only to a process whose variable names it)",
                                device.name, device.uuid, device.pci, listed(*devices)));
}

Result<CudaDevice> find_instance(const DriverApi& api, const DeviceIdentity& device,
                                 const MigMode& mig) {
  const auto devices = list_devices(api);
  if (!devices) return Unexpected(devices.error());
  const auto address = parse_pci_address(device.pci);
  for (CudaDevice candidate : *devices) {
    const bool ours = same_uuid(candidate.uuid, mig.chosen) ||
                      same_uuid(candidate.uuid, device.uuid) ||
                      (address && parse_pci_address(candidate.pci) == address);
    if (!ours || !may_be_chosen(candidate, device, mig)) continue;
    candidate.instance = name_of(candidate, device, mig);
    return candidate;
  }
  return Unexpected(
      Errc::unavailable,
      fmt::format("CUDA does not see {} of {} ({}); it sees {}",
                  mig.chosen.empty() ? "a MIG instance" : "MIG instance " + mig.chosen, device.name,
                  device.pci, listed(*devices)));
}

Error with_mig_advice(Error error, const MigMode& mig) {
  if (mig.instances.empty()) {
    error.message +=
        "; the GPU is in MIG mode and the driver lists no instance of it: nothing runs on it until "
        "an administrator creates one (nvidia-smi mig -cgi PROFILE -C) or ends MIG mode "
        "(nvidia-smi -mig 0)";
    return error;
  }
  error.message += fmt::format(
      "; the GPU is in MIG mode, and CUDA shows a process one instance in all: start it for this "
      "one alone, with CUDA_VISIBLE_DEVICES={}, or unset the variable and name the instance with "
      "--device (there are: {})",
      mig.chosen.empty() ? mig.instances.front() : mig.chosen, fmt::join(mig.instances, ", "));
  return error;
}

}  // namespace truewatt::load::cuda
