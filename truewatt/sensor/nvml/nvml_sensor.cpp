#include "truewatt/sensor/nvml/nvml_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewatt::sensor {
namespace {

using nvml::Field;
using nvml::FieldScope;

constexpr SourceId kPowerSources[] = {
    {SourceKind::power_usage, Scope::gpu},      {SourceKind::power_average, Scope::gpu},
    {SourceKind::power_average, Scope::module}, {SourceKind::power_average, Scope::memory},
    {SourceKind::power_instant, Scope::gpu},    {SourceKind::power_instant, Scope::module},
    {SourceKind::power_instant, Scope::memory},
};
constexpr SourceId kSamples{SourceKind::power_samples, Scope::gpu};
constexpr SourceId kGpuCounter{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kModuleCounter{SourceKind::energy_counter, Scope::module};
constexpr SourceId kMemoryCounter{SourceKind::energy_counter, Scope::memory};

/// Two reads of one counter, made one after the other, differ by at most one tick: 500 ms is the
/// slowest driver poll known, 3 kW more than any module draws today.
constexpr Joules kOneCounter = Watts(3000) * Seconds(0.5);

FieldScope field_scope(Scope scope) {
  switch (scope) {
    case Scope::module:
      return FieldScope::module;
    case Scope::memory:
      return FieldScope::memory;
    default:
      return FieldScope::gpu;
  }
}

Unexpected no_such_source(SourceId source) {
  return {Errc::unsupported,
          fmt::format("NVML has no source {}; `truewatt devices` lists those of a device",
                      to_string(source))};
}

}  // namespace

NvmlSensor::NvmlSensor(nvml::DeviceCalls calls, std::vector<std::string> notes,
                       std::optional<MigMode> mig)
    : calls_(std::move(calls)), notes_(std::move(notes)), mig_(std::move(mig)) {
  for (const auto source : kPowerSources) probe(source);
  const auto size = calls_.ring_size();
  ring_capacity_ = size.value_or(0);
  sources_.push_back({kSamples, size.has_value(), size ? "" : size.error().message});
  probe(kGpuCounter);
  probe_module_counter();
  sources_.push_back({kMemoryCounter, false,
                      "NVML has no energy counter of the memory alone: drivers answer that scope "
                      "with the GPU's counter; integrate power.average@memory instead"});
  note_superchip();
}

void NvmlSensor::probe(SourceId source) {
  const auto reading = ask(source);
  sources_.push_back({source, reading.has_value(), reading ? "" : reading.error().message});
}

/// Offered only when it has run ahead of the GPU's counter by more than one tick can explain.
void NvmlSensor::probe_module_counter() {
  const auto gpu = ask_energy(Scope::gpu);
  const auto module = ask_energy(Scope::module);
  if (!module) {
    sources_.push_back({kModuleCounter, false, module.error().message});
    return;
  }
  const bool separate = gpu && module->value > gpu->value + kOneCounter.value();
  auto refusal = fmt::format(
      "the module's counter reads {:.3f} J and the GPU's {:.3f} J: nothing shows that they are "
      "different counters; integrate a power source of the module instead",
      module->value, gpu ? gpu->value : 0.0);
  sources_.push_back({kModuleCounter, separate, separate ? "" : std::move(refusal)});
}

void NvmlSensor::note_superchip() {
  const auto* average = find({SourceKind::power_average, Scope::module});
  const auto* instant = find({SourceKind::power_instant, Scope::module});
  if (!average->answers && !instant->answers) return;
  notes_.push_back(
      "this GPU is part of a module that reports its own power (a superchip): its energy counter "
      "may count the whole module, CPU included; compare it with the integral of power.instant");
}

const SourceStatus* NvmlSensor::find(SourceId source) const {
  const auto found = std::ranges::find(sources_, source, &SourceStatus::source);
  return found == sources_.end() ? nullptr : &*found;
}

Result<Reading> NvmlSensor::read(SourceId source) {
  if (source == kSamples) {
    return Unexpected(Errc::invalid_argument,
                      "power.samples is a ring of many samples: drain it instead of reading it");
  }
  const auto* status = find(source);
  if (status == nullptr) return no_such_source(source);
  const bool doubtful_counter = counts_energy(source) && source.scope != Scope::gpu;
  if (doubtful_counter && !status->answers) return Unexpected(Errc::unsupported, status->refusal);
  return ask(source);
}

Result<Reading> NvmlSensor::ask(SourceId source) const {
  switch (source.kind) {
    case SourceKind::power_usage:
      return calls_.power_usage();
    case SourceKind::power_average:
      return calls_.field(Field::power_average, field_scope(source.scope));
    case SourceKind::power_instant:
      return calls_.field(Field::power_instant, field_scope(source.scope));
    case SourceKind::energy_counter:
      return ask_energy(source.scope);
    case SourceKind::power_samples:
      break;
  }
  return no_such_source(source);
}

Result<Reading> NvmlSensor::ask_energy(Scope scope) const {
  if (scope != Scope::gpu) return calls_.field(Field::energy, field_scope(scope));
  auto energy = calls_.total_energy();
  if (energy) return energy;
  auto by_field = calls_.field(Field::total_energy, FieldScope::gpu);
  return by_field ? by_field : energy;
}

Result<std::vector<Reading>> NvmlSensor::drain(std::optional<DriverTime> since) {
  return calls_.ring(since, ring_capacity_);
}

}  // namespace truewatt::sensor
