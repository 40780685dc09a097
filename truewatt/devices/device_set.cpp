#include "truewatt/devices/device_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "truewatt/base/nearest_name.hpp"
#include "truewatt/clock/system_clock.hpp"
#include "truewatt/counters/cupti/cupti_counters.hpp"
#include "truewatt/counters/simulated/simulated_counters.hpp"
#include "truewatt/devices/open_in_time.hpp"
#include "truewatt/load/cpu/cpu_load.hpp"
#include "truewatt/load/cuda/cuda_load.hpp"
#include "truewatt/load/simulated/simulated_load.hpp"
#include "truewatt/sensor/host/host_sensors.hpp"
#include "truewatt/sensor/nvml/device_selection.hpp"
#include "truewatt/sensor/nvml/nvml_devices.hpp"
#include "truewatt/sensor/simulated/simulated_sensor.hpp"
#include "truewatt/simgpu/virtual_clock.hpp"
#include "truewatt/store/device_file.hpp"
#include "truewatt/store/output_place.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::devices {
namespace {

constexpr std::string_view kSimulated = "sim:";

bool is_simulated(const std::string& selector) { return selector.starts_with(kSimulated); }

Result<void> open_simulated(DeviceSet& set, const DeviceRequest& request) {
  if (request.pace == Pace::virtual_time) {
    set.clock = std::make_shared<simgpu::VirtualClock>();
  } else {
    set.clock = std::make_shared<SystemClock>();
  }
  set.origin = set.clock->now();
  int index = 0;
  for (const std::string& selector : request.selectors) {
    auto description = store::find_device(selector.substr(kSimulated.size()));
    if (!description) return Unexpected(description.error());
    Device device;
    device.simulated = std::make_shared<simgpu::SimulatedGpu>(
        std::move(*description), request.seed + static_cast<std::uint64_t>(index));
    device.sensor =
        std::make_shared<sensor::SimulatedSensor>(device.simulated, *set.clock, set.origin, index);
    for (const std::string& note : device.sensor->notes()) set.notes.push_back(note);
    set.devices.push_back(std::move(device));
    ++index;
  }
  return {};
}

/// Of a list of both kinds; a device file whose name has a comma makes one.
Error mixed_kinds(const std::vector<std::string>& selectors) {
  for (const std::string& selector : selectors) {
    const bool is_file = selector.ends_with(".toml") || selector.find('/') != std::string::npos;
    if (is_simulated(selector) || !is_file) continue;
    return {Errc::invalid_argument,
            fmt::format("`{0}` is no GPU: a simulated device is sim:{0}, and the list of devices "
                        "is split at commas, which a device file's name must not have; rename it",
                        selector)};
  }
  return {Errc::invalid_argument,
          "simulated and real devices cannot be measured together; name one kind"};
}

/// `h100` and `simh100` are simulated devices without their `sim:`; a number is a GPU's index.
std::optional<Error> meant_simulated(const std::string& selector) {
  if (selector.find_first_not_of("0123456789") == std::string::npos) return std::nullopt;
  if (selector.ends_with(".toml")) {
    return Error{Errc::invalid_argument,
                 fmt::format("there is no device `{0}`; a simulated one is -d sim:{0}", selector)};
  }
  std::string_view name = selector;
  if (name.starts_with("sim")) name.remove_prefix(3);
  while (!name.empty() && std::string_view("-_/=.").find(name.front()) != std::string_view::npos) {
    name.remove_prefix(1);
  }
  const auto near = close_name(name, builtin_device_names());
  if (!near) return std::nullopt;
  return Error{Errc::invalid_argument,
               fmt::format("there is no device `{}`; did you mean the simulated sim:{}? "
                           "`truewatt devices` lists the GPUs",
                           selector, *near)};
}

/// nvmlShutdown, which the last sensor calls, may hang as any call of the driver.
void close_in_time(sensor::PowerSensor* sensor) {
  capture::within(capture::kCallPatience, [sensor] {
    const std::unique_ptr<sensor::PowerSensor> closed(sensor);
    return true;
  });
}

Result<void> open_real(DeviceSet& set, const DeviceRequest& request,
                       const Environment& environment) {
  set.clock = std::make_shared<SystemClock>();
  set.origin = set.clock->now();
  const sensor::NvmlOptions options{
      .selectors = request.selectors,
      .environment = {environment.cuda_visible_devices, environment.cuda_device_order},
      .nvml_library = environment.nvml_library};
  auto sensors = in_time<std::vector<std::unique_ptr<sensor::PowerSensor>>>(
      [options] { return sensor::open_nvml_sensors(options); });
  if (!sensors) return Unexpected(sensors.error());
  for (auto& sensor : *sensors) {
    for (const std::string& note : sensor->notes()) set.notes.push_back(note);
    Device device;
    device.sensor = {sensor.release(), close_in_time};
    set.devices.push_back(std::move(device));
  }
  return {};
}

KnownDevice known_device(const Device& device) {
  const DeviceIdentity& identity = device.sensor->device();
  return {identity, device.simulated ? identity.name : fmt::format("GPU {}", identity.index)};
}

Result<void> load_named_profiles(DeviceSet& set, const std::vector<std::filesystem::path>& paths) {
  const auto named = read_profiles(paths);
  if (!named) return Unexpected(named.error());
  std::set<const NamedProfile*> used;
  for (Device& device : set.devices) {
    used.insert(use_named_profile(device.known, known_device(device), *named));
  }
  for (const NamedProfile& one : *named) {
    if (used.contains(&one)) {
      set.notes.push_back(fmt::format("profile: {}", one.path.string()));
    } else if (named->size() > 1) {  // of one alone its devices have said why
      const DeviceIdentity& made_on = one.profile.device;
      set.notes.push_back(fmt::format("warning: profile {} is not used: it was made on {} ({})",
                                      one.path.string(), made_on.name, made_on.uuid));
    }
  }
  return {};
}

/// What was kept and cannot be read keeps nobody from measuring: it was not asked for by name.
std::string left_out(const Error& error) {
  return "warning: left out what was saved of this GPU: " + error.message;
}

void load_saved_profiles(DeviceSet& set) {
  const auto directory = store::default_directory();
  if (!directory || set.simulated()) return;
  for (Device& device : set.devices) {
    const auto found = store::find_profile(*directory, device.sensor->device());
    if (!found) set.notes.push_back(left_out(found.error()));
    if (!found || !*found) continue;
    const KnownDevice known = known_device(device);
    use_profile(device.known, known, (*found)->profile, (*found)->path);
    if (device.known.profile) {
      set.notes.push_back(fmt::format("profile of {}: {}{}", known.label, (*found)->path.string(),
                                      store::whose((*found)->path)));
    }
  }
}

Result<void> load_named_calibrations(DeviceSet& set,
                                     const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) {
    const auto calibration = store::read_calibration(path);
    if (!calibration) return Unexpected(calibration.error());
    for (Device& device : set.devices) {
      use_calibration(device.known, known_device(device), *calibration, path);
    }
  }
  return {};
}

void load_saved_calibrations(DeviceSet& set) {
  const auto directory = store::default_directory();
  if (!directory || set.simulated()) return;
  for (Device& device : set.devices) {
    for (const SourceId source : sensor::answering_sources(*device.sensor)) {
      const auto found = store::find_calibration(*directory, device.sensor->device(), source);
      if (!found) set.notes.push_back(left_out(found.error()));
      if (!found || !*found) continue;
      use_calibration(device.known, known_device(device), (*found)->calibration, (*found)->path);
    }
  }
}

/// Everything that is known of the set's devices: what was named, else what was saved, else what is
/// published.
Result<void> load_knowledge(DeviceSet& set, const DeviceRequest& request) {
  if (request.profiles.empty()) load_saved_profiles(set);
  if (request.calibrations.empty()) load_saved_calibrations(set);
  if (auto named = load_named_profiles(set, request.profiles); !named) return named;
  if (auto named = load_named_calibrations(set, request.calibrations); !named) return named;
  for (Device& device : set.devices) {
    use_catalogue(device.known, known_device(device), sensor::answering_sources(*device.sensor));
    set.notes.insert(set.notes.end(), device.known.notes.begin(), device.known.notes.end());
  }
  return {};
}

std::string sysfs_of(const Environment& environment) {
  return environment.sysfs.empty() ? sensor::kSysfs : environment.sysfs;
}

}  // namespace

Result<DeviceSet> open_devices(const DeviceRequest& request, const Environment& environment) {
  const auto simulated = static_cast<std::size_t>(
      std::count_if(request.selectors.begin(), request.selectors.end(), is_simulated));
  if (simulated > 0 && simulated < request.selectors.size()) {
    return Unexpected(mixed_kinds(request.selectors));
  }
  if (request.node && simulated > 0 && request.pace == Pace::virtual_time) {
    return Unexpected(Errc::invalid_argument,
                      "--node: the host has no virtual time, in which simulated devices are "
                      "measured; use truewatt run -d sim:... --node -- CMD, which takes real time");
  }
  for (const std::string& selector : request.selectors) {
    if (is_simulated(selector)) continue;
    if (const auto meant = meant_simulated(selector)) return Unexpected(*meant);
    if (auto good = sensor::check_selector(selector); !good) return Unexpected(good.error());
  }
  DeviceSet set;
  const auto opened =
      simulated > 0 ? open_simulated(set, request) : open_real(set, request, environment);
  if (!opened) return Unexpected(opened.error());
  if (const auto loaded = load_knowledge(set, request); !loaded) return Unexpected(loaded.error());
  if (request.node) set.host = Host{open_host_sensors(environment), sysfs_of(environment)};
  return set;
}

Result<std::unique_ptr<load::Load>> make_load(DeviceSet& set, Device& device,
                                              const Environment& environment) {
  if (device.simulated) {
    return std::unique_ptr<load::Load>(
        std::make_unique<load::SimulatedLoad>(device.simulated, set.origin));
  }
  load::CudaLoadOptions options;
  if (!environment.cuda_library.empty()) options.cuda_library = environment.cuda_library;
  options.mig = device.sensor->mig();
  options.visible_devices = environment.cuda_visible_devices;
  return load::make_cuda_load(device.sensor->device(), *set.clock, options);
}

std::unique_ptr<counters::Counters> make_counters(const Device& device) {
  if (device.simulated) return counters::make_simulated_counters(device.simulated);
  return counters::cupti::make_cupti_counters({.wanted = {.pipes = false}});
}

std::vector<std::unique_ptr<sensor::PowerSensor>> open_host_sensors(
    const Environment& environment) {
  return sensor::find_host_sensors(sysfs_of(environment));
}

Result<std::unique_ptr<load::Load>> make_cpu_load(DeviceSet& set, Device& device) {
  if (!device.simulated) return load::make_cpu_load(*set.clock);
  return std::unique_ptr<load::Load>(
      std::make_unique<load::SimulatedLoad>(device.simulated, set.origin, WorkKind::Part::cpu));
}

}  // namespace truewatt::devices
