#include "truewatt/sensor/nvml/nvml_sensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace truewatt::sensor {
namespace {

using nvml::Field;
using nvml::FieldScope;

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
  for (const SourceKind kind : kSourceKinds) probe(kind);
  note_superchip();
}

void NvmlSensor::probe(SourceKind kind) {
  switch (row_of(kind).call) {
    case NvmlCall::power_usage:
      return probe({kind, Scope::gpu});
    case NvmlCall::field_value:
      for (const Scope scope : {Scope::gpu, Scope::module, Scope::memory}) probe({kind, scope});
      return;
    case NvmlCall::samples:
      return probe_ring({kind, Scope::gpu});
    case NvmlCall::total_energy:
      probe({kind, Scope::gpu});
      probe_module_counter({kind, Scope::module});
      sources_.push_back({{kind, Scope::memory},
                          Error{Errc::unsupported,
                                "NVML has no energy counter of the memory alone: drivers answer "
                                "that scope with the GPU's counter; integrate "
                                "power.average@memory instead"}});
      return;
  }
}

void NvmlSensor::probe(SourceId source) { sources_.push_back({source, refusal_of(ask(source))}); }

void NvmlSensor::probe_ring(SourceId source) {
  const auto size = calls_.ring_size();
  ring_capacity_ = size.value_or(0);
  sources_.push_back({source, refusal_of(size)});
}

/// Offered only when it has run ahead of the GPU's counter by more than one tick can explain.
void NvmlSensor::probe_module_counter(SourceId source) {
  const auto gpu = ask_energy(Scope::gpu);
  const auto module = ask_energy(Scope::module);
  if (!module) {
    sources_.push_back({source, module.error()});
    return;
  }
  SourceStatus status{.source = source, .refusal = std::nullopt};
  const bool separate = gpu && module->value > gpu->value + kOneCounter.value();
  if (!separate) {
    status.refusal = Error{
        Errc::unsupported,
        fmt::format(
            "the module's counter reads {:.3f} J and the GPU's {:.3f} J: nothing shows that they "
            "are different counters; integrate a power source of the module instead",
            module->value, gpu ? gpu->value : 0.0)};
  }
  sources_.push_back(std::move(status));
}

void NvmlSensor::note_superchip() {
  const auto* average = find({SourceKind::power_average, Scope::module});
  const auto* instant = find({SourceKind::power_instant, Scope::module});
  if (!average->answers() && !instant->answers()) return;
  notes_.push_back(
      "this GPU is part of a module that reports its own power (a superchip): its energy counter "
      "may count the whole module, CPU included; compare it with the integral of power.instant");
}

const SourceStatus* NvmlSensor::find(SourceId source) const {
  const auto found = std::ranges::find(sources_, source, &SourceStatus::source);
  return found == sources_.end() ? nullptr : &*found;
}

Result<Reading> NvmlSensor::read(SourceId source) {
  const auto* status = find(source);
  if (status == nullptr) return no_such_source(source);
  if (comes_in_ring(source)) {
    return Unexpected(Errc::invalid_argument,
                      fmt::format("{} is a ring of many samples: drain it instead of reading it",
                                  to_string(source)));
  }
  const bool doubtful_counter = counts_energy(source) && source.scope != Scope::gpu;
  if (doubtful_counter && !status->answers()) {
    return Unexpected(Errc::unsupported, status->refusal->message);
  }
  return ask(source);
}

Result<Reading> NvmlSensor::ask(SourceId source) const {
  switch (row_of(source.kind).call) {
    case NvmlCall::power_usage:
      return calls_.power_usage();
    case NvmlCall::field_value:
      return calls_.field(nvml::field_of(source.kind), field_scope(source.scope));
    case NvmlCall::total_energy:
      return ask_energy(source.scope);
    case NvmlCall::samples:
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
