// Power, energy, fields, samples and limits.
#include <cmath>
#include <limits>

#include "truewatt/nvml_sim/board_facts.hpp"
#include "truewatt/nvml_sim/exports/entry.hpp"

namespace truewatt::nvml_sim {
namespace {

constexpr int kTotalPowerSamples = 0;
constexpr std::uint64_t kNothingIsNewer = std::numeric_limits<std::uint64_t>::max();

/// NVML's milliwatts and millijoules.
unsigned long long milli(double value) {
  return value <= 0 ? 0 : static_cast<unsigned long long>(std::llround(value * 1000.0));
}

Return read_milli(SimulatedDevice& device, SourceId source, unsigned long long& out) {
  const auto value = device.read(source);
  if (!value) return code_of(value.error());
  out = milli(*value);
  return kSuccess;
}

struct Milli {
  Return code = kNotSupported;
  ValueType type = kUnsignedInt;
  unsigned long long value = 0;
};

Milli read_field_source(SimulatedDevice& device, SourceId source) {
  Milli result{kSuccess, counts_energy(source) ? kUnsignedLongLong : kUnsignedInt, 0};
  result.code = read_milli(device, source, result.value);
  return result;
}

Milli limit(double watts) { return {kSuccess, kUnsignedInt, milli(watts)}; }

/// The scopes a field may be asked for; another is nobody's.
std::optional<Scope> scope_of(unsigned int scope_id) {
  switch (scope_id) {
    case 0:
      return Scope::gpu;
    case 1:
      return Scope::module;
    case 2:
      return Scope::memory;
    default:
      return std::nullopt;
  }
}

Milli read_field(SimulatedDevice& device, unsigned int field_id, unsigned int scope_id) {
  const auto scope = scope_of(scope_id);
  if (!scope) return {kInvalidArgument};
  for (const SourceKind kind : kSourceKinds) {
    if (row_of(kind).nvml_field == field_id) return read_field_source(device, {kind, *scope});
  }
  const auto limits = power_limits(device.description());
  const bool of_gpu = *scope == Scope::gpu;
  switch (field_id) {
    // As recorded on real drivers: the old energy field does not look at its scope.
    case 83:
      return read_field_source(device, {SourceKind::energy_counter, Scope::gpu});
    case 187:
      return of_gpu ? limit(limits.least) : Milli{};
    case 188:
    case 189:
    case 190:
    case 192:
      return of_gpu ? limit(limits.greatest) : Milli{};
    default:
      return {};
  }
}

void fill(SimulatedDevice& device, FieldValue& field) {
  const auto asked = device.realtime_us();
  const auto answer = read_field(device, field.field_id, field.scope_id);
  const auto answered = device.realtime_us();
  field.timestamp = static_cast<long long>(answered);
  field.latency_usec = static_cast<long long>(answered - asked);
  field.value_type = answer.type;
  field.nvml_return = answer.code;
  field.value.ull = 0;
  if (answer.type == kUnsignedInt) {
    field.value.ui = static_cast<unsigned int>(answer.value);
  } else {
    field.value.ull = answer.value;
  }
}

/// Slots of the ring, or 0 for a device without one.
unsigned int ring_size(const SimulatedDevice& device) {
  for (const auto& sensor : device.description().sensors) {
    if (comes_in_ring(sensor.source)) return static_cast<unsigned int>(sensor.ring);
  }
  return 0;
}

Return samples(SimulatedDevice& device, unsigned long long last_seen, ValueType* type,
               unsigned int* count, Sample* out) {
  if (type == nullptr || count == nullptr) return kInvalidArgument;
  *type = kUnsignedInt;
  const bool size_only = out == nullptr;
  const auto entries = device.ring(size_only ? kNothingIsNewer : last_seen);
  if (!entries) return code_of(entries.error());
  if (size_only) return give(ring_size(device), count);
  if (entries->empty()) return kNotFound;
  const auto size = static_cast<unsigned int>(entries->size());
  if (*count < size) {
    *count = size;
    return kInsufficientSize;
  }
  for (const auto& entry : *entries) {
    *out = {entry.stamp_us, {}};
    out->value.ui = static_cast<unsigned int>(milli(entry.watts));
    ++out;
  }
  return give(size, count);
}

Return give_limit(Handle handle, double PowerLimits::*which, unsigned int* out) {
  return on_device(handle, [&](SimulatedDevice& device) {
    const auto watts = power_limits(device.description()).*which;
    return give(static_cast<unsigned int>(milli(watts)), out);
  });
}

}  // namespace
}  // namespace truewatt::nvml_sim

namespace sim = truewatt::nvml_sim;
using sim::Handle;
using sim::Return;
using sim::SimulatedDevice;
using truewatt::Scope;
using truewatt::SourceKind;

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerUsage(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice& device) {
    unsigned long long milliwatts = 0;
    const auto code = sim::read_milli(device, {SourceKind::power_usage, Scope::gpu}, milliwatts);
    if (code != sim::kSuccess) return code;
    return sim::give(static_cast<unsigned int>(milliwatts), out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetTotalEnergyConsumption(Handle handle,
                                                                unsigned long long* out) {
  return sim::on_device(handle, [out](SimulatedDevice& device) {
    unsigned long long millijoules = 0;
    const auto code =
        sim::read_milli(device, {SourceKind::energy_counter, Scope::gpu}, millijoules);
    return code == sim::kSuccess ? sim::give(millijoules, out) : code;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetFieldValues(Handle handle, int count,
                                                     sim::FieldValue* values) {
  if (count <= 0 || values == nullptr) return sim::kInvalidArgument;
  return sim::on_state(handle, [&](SimulatedDevice& device, const auto&) {
    for (int i = 0; i < count; ++i) sim::fill(device, values[i]);
    return sim::kSuccess;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSamples(Handle handle, int type,
                                                 unsigned long long last_seen,
                                                 sim::ValueType* value_type, unsigned int* count,
                                                 sim::Sample* out) {
  if (type != sim::kTotalPowerSamples) return sim::not_supported(handle);
  return sim::on_device(handle, [&](SimulatedDevice& device) {
    return sim::samples(device, last_seen, value_type, count, out);
  });
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerManagementMode(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice&) { return sim::give(1U, out); });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerManagementLimit(Handle handle, unsigned int* out) {
  return sim::give_limit(handle, &sim::PowerLimits::greatest, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerManagementDefaultLimit(Handle handle,
                                                                     unsigned int* out) {
  return sim::give_limit(handle, &sim::PowerLimits::greatest, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetEnforcedPowerLimit(Handle handle, unsigned int* out) {
  return sim::give_limit(handle, &sim::PowerLimits::greatest, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerManagementLimitConstraints(Handle handle,
                                                                         unsigned int* least,
                                                                         unsigned int* greatest) {
  const auto code = sim::give_limit(handle, &sim::PowerLimits::least, least);
  if (code != sim::kSuccess) return code;
  return sim::give_limit(handle, &sim::PowerLimits::greatest, greatest);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerSource(Handle handle, unsigned int* out) {
  return sim::on_device(handle, [out](SimulatedDevice&) { return sim::give(0U, out); });
}
