#include "truewatt/measure/host_capture.hpp"

#include <fmt/format.h>

#include <utility>

#include "truewatt/energy/aggregate/node_energy.hpp"
#include "truewatt/energy/host/host_energy.hpp"
#include "truewatt/sensor/host/host_sensors.hpp"

namespace truewatt::measure {
namespace {

using energy::EnergyEstimate;
using energy::Reason;

/// Only what answers is recorded.
bool is_recorded(const sensor::PowerSensor& sensor) {
  return !sensor::answering_sources(sensor).empty();
}

/// What the GPU's estimate rests on, as far as anybody found out.
energy::NodePart part_of_gpu(const energy::Knowledge& knowledge, const EnergyEstimate& estimate) {
  const bool on_superchip = energy::gpus_per_module(estimate.device.name) > 0;
  if (!estimate.source) return on_superchip ? energy::NodePart::gpu_unclear : energy::NodePart::gpu;
  if (estimate.source->scope == Scope::module) return energy::NodePart::gpu_module;
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, *estimate.source) : nullptr;
  if (profile && has_reason(*profile, ProfileReason::observes_module))
    return energy::NodePart::gpu_module;
  const bool is_clear = !on_superchip || (profile && profile->scopes);
  return is_clear ? energy::NodePart::gpu : energy::NodePart::gpu_unclear;
}

energy::NodeMeter meter_of_gpu(const devices::Device& device, const EnergyEstimate& estimate) {
  const DeviceIdentity& identity = estimate.device;
  energy::NodeMeter meter{.source = {}, .gpus_per_module = energy::gpus_per_module(identity.name)};
  meter.source.part = part_of_gpu(device.knowledge(), estimate);
  meter.source.estimate = estimate;
  meter.source.scope =
      meter.source.part == energy::NodePart::gpu_module ? Scope::module : Scope::gpu;
  meter.source.label = fmt::format("GPU {} ({})", identity.index, identity.name);
  return meter;
}

energy::NodePart part_of_host(const DeviceIdentity& device, Scope scope) {
  if (const auto part = sensor::grace_part(device)) {
    switch (*part) {
      case sensor::GracePart::module:
        return energy::NodePart::grace_module;
      case sensor::GracePart::whole:
        return energy::NodePart::grace_cpu;
      case sensor::GracePart::cpu_rail:
        return energy::NodePart::grace_rail;
      case sensor::GracePart::io_rail:
        return energy::NodePart::grace_io;
      case sensor::GracePart::unknown:
        return energy::NodePart::grace_other;
    }
  }
  if (scope == Scope::memory) return energy::NodePart::dram;
  return scope == Scope::module ? energy::NodePart::platform : energy::NodePart::package;
}

energy::NodeMeter meter_of_host(EnergyEstimate estimate) {
  const DeviceIdentity& device = estimate.device;
  const Scope scope = estimate.source->scope;
  energy::NodeMeter meter{.source = {}, .socket = device.index};
  meter.source.part = part_of_host(device, scope);
  meter.source.scope = scope;
  meter.source.label =
      (meter.source.part == energy::NodePart::dram ? "DRAM of " : "") + device.name;
  meter.source.estimate = std::move(estimate);
  return meter;
}

/// A source that refused, with its words.
energy::NodeMeter refused_meter(const sensor::PowerSensor& sensor,
                                const sensor::SourceStatus& status, Seconds window) {
  EnergyEstimate estimate;
  estimate.device = sensor.device();
  estimate.source = status.source;
  estimate.window = window;
  const bool forbidden = status.refusal->code == Errc::permission;
  add_reason(estimate, forbidden ? Reason::permission_denied : Reason::no_usable_source);
  energy::NodeMeter meter = meter_of_host(std::move(estimate));
  meter.source.refusal = status.refusal->message;
  return meter;
}

}  // namespace

void capture_host(const devices::DeviceSet& set, capture::Capture& capture) {
  if (!set.host) return;
  for (const auto& sensor : set.host->sensors) {
    if (is_recorded(*sensor)) capture.add(*sensor, {.mode = capture::PollMode::evenly});
  }
}

energy::NodeEnergy node_of(devices::DeviceSet& set, capture::Recorder& recorder,
                           const std::vector<EnergyEstimate>& estimates, const Window& window,
                           double resolve) {
  std::vector<energy::NodeMeter> meters;
  for (std::size_t i = 0; i < set.devices.size() && i < estimates.size(); ++i) {
    meters.push_back(meter_of_gpu(set.devices[i], estimates[i]));
  }
  int index = static_cast<int>(set.devices.size());
  for (const auto& sensor : set.host->sensors) {
    const bool recorded = is_recorded(*sensor);
    if (recorded) recorder.add_window(index, window);
    for (const sensor::SourceStatus& status : sensor->sources()) {
      if (!status.answers()) {
        meters.push_back(refused_meter(*sensor, status, window.end - window.begin));
        continue;
      }
      const Recording& recording = recorder.recordings()[static_cast<std::size_t>(index)];
      auto estimate = energy::estimate_host_energy(recording, status.source, window, resolve);
      recorder.add_estimate(index, estimate);
      meters.push_back(meter_of_host(std::move(estimate)));
    }
    index += recorded ? 1 : 0;
  }
  return energy::node_energy(std::move(meters));
}

}  // namespace truewatt::measure
