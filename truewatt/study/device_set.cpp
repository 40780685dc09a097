#include "truewatt/study/device_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/capture/system_clock.hpp"
#include "truewatt/load/cpu/cpu_load.hpp"
#include "truewatt/load/cuda/cuda_load.hpp"
#include "truewatt/load/simulated/simulated_load.hpp"
#include "truewatt/sensor/host/host_sensors.hpp"
#include "truewatt/sensor/nvml/nvml_devices.hpp"
#include "truewatt/sensor/simulated/simulated_sensor.hpp"
#include "truewatt/simgpu/virtual_clock.hpp"
#include "truewatt/store/device_file.hpp"
#include "truewatt/store/profile_file.hpp"

namespace truewatt::study {
namespace {

constexpr std::string_view kSimulated = "sim:";

bool is_simulated(const std::string& selector) { return selector.starts_with(kSimulated); }

Result<void> open_simulated(DeviceSet& set, const DeviceRequest& request) {
  if (request.pace == Pace::virtual_time) {
    set.clock = std::make_unique<simgpu::VirtualClock>();
  } else {
    set.clock = std::make_unique<capture::SystemClock>();
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
        std::make_unique<sensor::SimulatedSensor>(device.simulated, *set.clock, set.origin, index);
    set.devices.push_back(std::move(device));
    ++index;
  }
  return {};
}

Result<void> open_real(DeviceSet& set, const DeviceRequest& request,
                       const Environment& environment) {
  set.clock = std::make_unique<capture::SystemClock>();
  set.origin = set.clock->now();
  auto sensors = sensor::open_nvml_sensors(
      {.selectors = request.selectors,
       .environment = {environment.cuda_visible_devices, environment.cuda_device_order},
       .nvml_library = environment.nvml_library});
  if (!sensors) return Unexpected(sensors.error());
  for (auto& sensor : *sensors) {
    for (const std::string& note : sensor->notes()) set.notes.push_back(note);
    Device device;
    device.sensor = std::move(sensor);
    set.devices.push_back(std::move(device));
  }
  return {};
}

std::string label(const Device& device) {
  const DeviceIdentity& identity = device.sensor->device();
  return device.simulated ? identity.name : fmt::format("GPU {}", identity.index);
}

Result<void> load_named_profile(DeviceSet& set, const std::filesystem::path& path) {
  auto profile = store::read_profile(path);
  if (!profile) return Unexpected(profile.error());
  for (Device& device : set.devices) {
    const DeviceIdentity& identity = device.sensor->device();
    if (profile->device.uuid != identity.uuid) {
      set.notes.push_back(
          fmt::format("warning: profile {} was made on another device ({}, {}); its numbers may "
                      "not hold for {}",
                      path.string(), profile->device.name, profile->device.uuid, label(device)));
    } else if (profile->device.driver != identity.driver) {
      set.notes.push_back(fmt::format("warning: profile {} was made under driver {}, this is {}",
                                      path.string(), profile->device.driver, identity.driver));
    }
    device.profile = *profile;
  }
  set.notes.push_back(fmt::format("profile: {}", path.string()));
  return {};
}

Result<void> load_saved_profiles(DeviceSet& set) {
  const auto directory = store::default_directory();
  for (Device& device : set.devices) {
    const DeviceIdentity& identity = device.sensor->device();
    std::optional<store::FoundProfile> found;
    if (directory && !device.simulated) {
      auto looked = store::find_profile(*directory, identity);
      if (!looked) return Unexpected(looked.error());
      found = std::move(*looked);
    }
    if (!found) {
      set.notes.push_back(
          fmt::format("no profile of {}: sensor lags and windows are taken as unknown; "
                      "`truewatt characterize` makes one",
                      label(device)));
      continue;
    }
    if (!found->same_driver) {
      set.notes.push_back(fmt::format(
          "warning: the profile of {} was made under driver {}, this is {}; characterize again",
          label(device), found->profile.device.driver, identity.driver));
    }
    set.notes.push_back(fmt::format("profile of {}: {}", label(device), found->path.string()));
    device.profile = std::move(found->profile);
  }
  return {};
}

Result<void> load_calibrations(DeviceSet& set, const DeviceRequest& request) {
  if (request.calibration) {
    auto calibration = store::read_calibration(*request.calibration);
    if (!calibration) return Unexpected(calibration.error());
    for (Device& device : set.devices) {
      if (calibration->device.uuid != device.sensor->device().uuid) {
        set.notes.push_back(fmt::format("warning: calibration {} was made on another device ({})",
                                        request.calibration->string(), calibration->device.uuid));
      }
      device.calibrations.push_back(*calibration);
    }
    return {};
  }
  const auto directory = store::default_directory();
  if (!directory || set.simulated()) return {};
  for (Device& device : set.devices) {
    for (const SourceId source : sensor::answering_sources(*device.sensor)) {
      auto found = store::find_calibration(*directory, device.sensor->device(), source);
      if (!found) return Unexpected(found.error());
      if (*found) device.calibrations.push_back((*found)->calibration);
    }
  }
  return {};
}

}  // namespace

Result<DeviceSet> open_devices(const DeviceRequest& request, const Environment& environment) {
  const auto simulated = static_cast<std::size_t>(
      std::count_if(request.selectors.begin(), request.selectors.end(), is_simulated));
  if (simulated > 0 && simulated < request.selectors.size()) {
    return Unexpected(Errc::invalid_argument,
                      "simulated and real devices cannot be measured together; name one kind");
  }
  DeviceSet set;
  const auto opened =
      simulated > 0 ? open_simulated(set, request) : open_real(set, request, environment);
  if (!opened) return Unexpected(opened.error());
  const auto profiles =
      request.profile ? load_named_profile(set, *request.profile) : load_saved_profiles(set);
  if (!profiles) return Unexpected(profiles.error());
  if (const auto loaded = load_calibrations(set, request); !loaded) {
    return Unexpected(loaded.error());
  }
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
  return load::make_cuda_load(device.sensor->device(), *set.clock, options);
}

std::vector<std::unique_ptr<sensor::PowerSensor>> open_host_sensors(
    const Environment& environment) {
  return sensor::find_host_sensors(environment.sysfs.empty() ? sensor::kSysfs : environment.sysfs);
}

Result<std::unique_ptr<load::Load>> make_cpu_load(DeviceSet& set, Device& device) {
  if (!device.simulated) return load::make_cpu_load(*set.clock);
  return std::unique_ptr<load::Load>(std::make_unique<load::SimulatedLoad>(
      device.simulated, set.origin, load::SimulatedPart::cpu));
}

}  // namespace truewatt::study
