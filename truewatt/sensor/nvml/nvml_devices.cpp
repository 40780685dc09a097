#include "truewatt/sensor/nvml/nvml_devices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "truewatt/sensor/nvml/nvml_errors.hpp"
#include "truewatt/sensor/nvml/nvml_sensor.hpp"

namespace truewatt::sensor {
namespace {

using nvml::Device;
using nvml::Library;
using nvml::Return;
using SharedLibrary = std::shared_ptr<const Library>;

/// A GPU by its index in the driver, opened or not.
struct Entry {
  int index = 0;
  Return code = Return::success;
  Device handle = nullptr;
  DeviceIdentity identity;
  bool mig = false;  ///< MIG mode is on
  std::vector<MigInstance> instances;

  bool opened() const { return code == Return::success; }
  /// Another job's GPU: not ours to see.
  bool forbidden() const {
    return code == Return::no_permission || code == Return::operating_system;
  }
  Error failure() const {
    return nvml::describe(code, fmt::format("GPU {}", index), "nvmlDeviceGetHandleByIndex");
  }
};

/// Stands in for a GPU that cannot be opened: every answer is the reason.
class UnopenedSensor final : public PowerSensor {
 public:
  UnopenedSensor(DeviceIdentity device, Error reason)
      : device_(std::move(device)), reason_(std::move(reason)) {
    for (const SourceKind kind : kSourceKinds) {
      sources_.push_back({{kind, Scope::gpu}, reason_});
    }
  }
  const DeviceIdentity& device() const override { return device_; }
  const std::vector<SourceStatus>& sources() const override { return sources_; }
  std::vector<std::string> notes() const override { return {reason_.message}; }
  Result<Reading> read(SourceId) override { return Unexpected(reason_); }
  Result<std::vector<Reading>> drain(std::optional<DriverTime>) override {
    return Unexpected(reason_);
  }
  Result<HealthSample> health() override { return Unexpected(reason_); }

 private:
  DeviceIdentity device_;
  Error reason_;
  std::vector<SourceStatus> sources_;
};

std::string uuid_of(const nvml::Api& api, Device handle) {
  std::array<char, nvml::kUuidSize> text{};
  const auto size = static_cast<std::uint32_t>(text.size());
  return nvml::call(api.uuid, handle, text.data(), size) == Return::success ? text.data() : "";
}

bool is_in_mig_mode(const nvml::Api& api, Device handle) {
  std::uint32_t mode = 0;
  std::uint32_t pending = 0;
  return nvml::call(api.mig_mode, handle, &mode, &pending) == Return::success && mode != 0;
}

std::vector<MigInstance> instances_of(const nvml::Api& api, const Entry& parent) {
  std::uint32_t count = 0;
  if (nvml::call(api.mig_max_count, parent.handle, &count) != Return::success) return {};
  std::vector<MigInstance> instances;
  for (std::uint32_t i = 0; i < count; ++i) {
    Device instance = nullptr;
    if (nvml::call(api.mig_handle_by_index, parent.handle, i, &instance) != Return::success) {
      continue;  // slots may be empty
    }
    instances.push_back({uuid_of(api, instance), parent.identity.uuid});
  }
  return instances;
}

Entry open_entry(const SharedLibrary& library, std::uint32_t index) {
  Entry entry;
  entry.index = static_cast<int>(index);
  entry.identity.index = entry.index;
  entry.identity.driver = library->driver_version();
  entry.code = library->api().handle_by_index(index, &entry.handle);
  if (!entry.opened()) return entry;
  entry.identity = nvml::DeviceCalls(library, entry.handle, entry.index).identity();
  entry.mig = is_in_mig_mode(library->api(), entry.handle);
  if (entry.mig) entry.instances = instances_of(library->api(), entry);
  return entry;
}

Result<std::vector<Entry>> enumerate(const SharedLibrary& library) {
  std::uint32_t count = 0;
  const auto code = library->api().device_count(&count);
  if (code != Return::success) {
    return Unexpected(nvml::describe(code, library->name(), "nvmlDeviceGetCount"));
  }
  std::vector<Entry> entries;
  for (std::uint32_t i = 0; i < count; ++i) entries.push_back(open_entry(library, i));
  return entries;
}

/// The parent of an instance that the enumeration did not list, as in a container that was given
/// the instance only.
std::optional<MigInstance> find_instance(const nvml::Api& api, const std::string& name) {
  Device instance = nullptr;
  Device parent = nullptr;
  if (nvml::call(api.handle_by_uuid, name.c_str(), &instance) != Return::success) return {};
  if (nvml::call(api.mig_parent, instance, &parent) != Return::success) return {};
  return MigInstance{name, uuid_of(api, parent)};
}

/// Names of MIG instances among the selectors and in CUDA_VISIBLE_DEVICES.
std::vector<std::string> named_instances(const NvmlOptions& options) {
  std::vector<std::string> names;
  const auto take = [&names](std::string_view text) {
    if (text.starts_with("MIG-")) names.emplace_back(text);
  };
  for (const auto& selector : options.selectors) take(selector);
  const std::string list = options.environment.visible_devices.value_or("");
  std::string_view rest = list;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(','), rest.size());
    take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

DeviceInventory inventory_of(const SharedLibrary& library, const std::vector<Entry>& entries,
                             const NvmlOptions& options) {
  DeviceInventory inventory;
  for (const auto& entry : entries) {
    inventory.devices.push_back(entry.identity);
    inventory.instances.insert(inventory.instances.end(), entry.instances.begin(),
                               entry.instances.end());
  }
  for (const auto& name : named_instances(options)) {
    const auto known = std::ranges::find(inventory.instances, name, &MigInstance::uuid);
    if (known != inventory.instances.end()) continue;
    if (auto found = find_instance(library->api(), name)) inventory.instances.push_back(*found);
  }
  return inventory;
}

/// Also of a GPU that was named by an instance where the driver does not tell its mode.
std::optional<MigMode> mig_of(const Entry& entry, const std::string& chosen) {
  if (!entry.mig && chosen.empty()) return std::nullopt;
  MigMode mig{.chosen = chosen, .instances = {}};
  for (const auto& instance : entry.instances) mig.instances.push_back(instance.uuid);
  const bool listed = std::ranges::find(mig.instances, chosen) != mig.instances.end();
  if (!chosen.empty() && !listed) mig.instances.push_back(chosen);
  return mig;
}

std::unique_ptr<PowerSensor> open_sensor(const SharedLibrary& library, const Entry& entry,
                                         std::vector<std::string> notes,
                                         const std::string& instance = {}) {
  if (!entry.opened()) return std::make_unique<UnopenedSensor>(entry.identity, entry.failure());
  const auto mig = mig_of(entry, instance);
  if (entry.mig) notes.push_back(whole_gpu_note(*mig));
  return std::make_unique<NvmlSensor>(nvml::DeviceCalls(library, entry.handle, entry.index),
                                      std::move(notes), mig);
}

Unexpected no_gpu() {
  return {Errc::unavailable,
          "the NVIDIA driver is loaded but shows no GPU: in a container pass one in (--gpus all), "
          "under Slurm ask for one (--gres=gpu), else see whether lspci lists the board"};
}

}  // namespace

Result<std::vector<std::unique_ptr<PowerSensor>>> open_nvml_sensors(const NvmlOptions& options) {
  auto library = Library::open(options.nvml_library);
  if (!library) return Unexpected(library.error());
  return open_nvml_sensors(*library, options);
}

Result<std::vector<std::unique_ptr<PowerSensor>>> open_nvml_sensors(
    const std::shared_ptr<const nvml::Library>& library, const NvmlOptions& options) {
  auto entries = enumerate(library);
  if (!entries) return Unexpected(entries.error());
  const auto is_all = [](const std::string& selector) { return selector == "all"; };
  if (std::ranges::all_of(options.selectors, is_all)) {  // also when there are none
    std::erase_if(*entries, std::mem_fn(&Entry::forbidden));
  }
  const auto inventory = inventory_of(library, *entries, options);
  const auto selected = select_devices(inventory, options.selectors, options.environment);
  if (!selected) return Unexpected(selected.error());
  std::vector<std::unique_ptr<PowerSensor>> sensors;
  for (const auto& device : *selected) {
    sensors.push_back(
        open_sensor(library, (*entries)[device.position], device.notes, device.instance));
  }
  return sensors;
}

Result<std::vector<NvmlDeviceReport>> list_nvml_devices(const std::string& library) {
  auto opened = Library::open(library);
  if (!opened) return Unexpected(opened.error());
  return list_nvml_devices(*opened);
}

Result<std::vector<NvmlDeviceReport>> list_nvml_devices(
    const std::shared_ptr<const nvml::Library>& library) {
  const auto entries = enumerate(library);
  if (!entries) return Unexpected(entries.error());
  if (entries->empty()) return no_gpu();
  std::vector<NvmlDeviceReport> reports;
  for (const auto& entry : *entries) {
    const auto sensor = open_sensor(library, entry, {});
    NvmlDeviceReport report{sensor->device(), {}, sensor->sources(), sensor->notes(), {}};
    if (!entry.opened()) report.failure = entry.failure();
    for (const auto& instance : entry.instances) report.mig_instances.push_back(instance.uuid);
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace truewatt::sensor
