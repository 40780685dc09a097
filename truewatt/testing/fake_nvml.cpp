#include "truewatt/testing/fake_nvml.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace truewatt::sensor::nvml {
namespace {

/// Handles are places in an array: 1 + index of the GPU, and 1000 * (1 + GPU) + instance for MIG
/// instances.
constexpr std::size_t kMig = 1000;

std::array<char, 10 * kMig> handles;

Device handle_of(std::size_t number) { return reinterpret_cast<Device>(&handles.at(number)); }
std::size_t number_of(Device device) {
  return static_cast<std::size_t>(reinterpret_cast<char*>(device) - handles.data());
}

FakeGpu& gpu_of(Device device) {
  const auto number = number_of(device);
  return fake_nvml().gpus.at((number >= kMig ? number / kMig : number) - 1);
}

Return copy_text(const std::string& text, char* out, std::uint32_t size) {
  if (text.size() >= size) return Return::insufficient_size;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return Return::success;
}

/// `value` into `out`, or the GPU's fault, or not_supported.
template <class From, class To>
Return answer(const FakeGpu& gpu, const std::optional<From>& value, To* out) {
  if (gpu.fault != Return::success) return gpu.fault;
  if (!value) return Return::not_supported;
  *out = *value;
  return Return::success;
}

template <class Value>
Return health_answer(Device device, Value value, Value* out) {
  const auto& gpu = gpu_of(device);
  return answer(gpu, gpu.health_answers ? std::optional(value) : std::nullopt, out);
}

Return field_values(Device device, std::int32_t count, FieldValue* entries) {
  const auto& gpu = gpu_of(device);
  if (gpu.fault != Return::success) return gpu.fault;
  for (std::int32_t i = 0; i < count; ++i) {
    const auto found = gpu.fields.find({entries[i].field, entries[i].scope});
    if (found == gpu.fields.end()) {
      entries[i].result = Return::not_supported;
    } else {
      entries[i] = found->second;
    }
  }
  return Return::success;
}

Return samples(Device device, SamplingType type, unsigned long long last_seen,
               ValueType* value_type, std::uint32_t* count, Sample* out) {
  const auto& gpu = gpu_of(device);
  if (gpu.fault != Return::success) return gpu.fault;
  if (!gpu.ring || type != SamplingType::total_power) return Return::not_supported;
  *value_type = ValueType::unsigned_int;
  std::vector<Sample> newer;
  std::ranges::copy_if(*gpu.ring, std::back_inserter(newer), [&](const Sample& sample) {
    return last_seen == 0 || sample.timestamp_us > last_seen;
  });
  if (out == nullptr) {
    *count = gpu.ring_size_told.value_or(static_cast<std::uint32_t>(gpu.ring->size()));
    fake_nvml().gpus.at(number_of(device) - 1).ring_size_told.reset();
    return Return::success;
  }
  ++fake_nvml().ring_fetches;
  if (newer.empty()) return Return::not_found;
  if (*count < newer.size()) return Return::insufficient_size;
  std::ranges::copy(newer, out);
  *count = static_cast<std::uint32_t>(newer.size());
  return Return::success;
}

Return uuid(Device device, char* text, std::uint32_t size) {
  const auto number = number_of(device);
  const auto& gpu = gpu_of(device);
  return copy_text(number < kMig ? gpu.uuid : gpu.mig_instances.at(number % kMig), text, size);
}

Return mig_handle_by_index(Device device, std::uint32_t index, Device* out) {
  if (index >= gpu_of(device).mig_instances.size()) return Return::not_found;
  *out = handle_of(number_of(device) * kMig + index);
  return Return::success;
}

Return handle_by_uuid(const char* name, Device* out) {
  for (std::size_t i = 0; i < fake_nvml().gpus.size(); ++i) {
    const auto& instances = fake_nvml().gpus[i].mig_instances;
    const auto found = std::ranges::find(instances, name);
    if (found == instances.end()) continue;
    *out = handle_of((i + 1) * kMig + static_cast<std::size_t>(found - instances.begin()));
    return Return::success;
  }
  return Return::not_found;
}

void bind_identity(Api& api) {
  api.init = [] {
    if (fake_nvml().init == Return::success) ++fake_nvml().initialised;
    return fake_nvml().init;
  };
  api.shutdown = [] {
    --fake_nvml().initialised;
    return Return::success;
  };
  api.device_count = [](std::uint32_t* count) {
    *count = static_cast<std::uint32_t>(fake_nvml().gpus.size());
    return Return::success;
  };
  api.handle_by_index = [](std::uint32_t index, Device* out) {
    *out = handle_of(index + 1);
    return fake_nvml().gpus.at(index).open;
  };
  api.driver_version = [](char* text, std::uint32_t size) {
    return copy_text("580.65.06", text, size);
  };
  api.name = [](Device device, char* text, std::uint32_t size) {
    return copy_text(gpu_of(device).name, text, size);
  };
  api.uuid = uuid;
  api.handle_by_uuid = handle_by_uuid;
  api.pci_info = [](Device device, PciInfo* info) {
    info->bus = gpu_of(device).bus;
    return Return::success;
  };
  api.mig_mode = [](Device device, std::uint32_t* current, std::uint32_t* pending) {
    const FakeGpu& gpu = gpu_of(device);
    *current = *pending = gpu.mig_mode || !gpu.mig_instances.empty() ? 1 : 0;
    return Return::success;
  };
  api.mig_max_count = [](Device, std::uint32_t* count) {
    *count = 7;
    return Return::success;
  };
  api.mig_handle_by_index = mig_handle_by_index;
  api.mig_parent = [](Device device, Device* out) {
    *out = handle_of(number_of(device) / kMig);
    return Return::success;
  };
}

void bind_health(Api& api) {
  api.utilization = [](Device device, Utilization* out) {
    return health_answer(device, Utilization{80, 20}, out);
  };
  api.performance_state = [](Device device, std::int32_t* out) {
    return health_answer(device, std::int32_t{2}, out);
  };
  api.temperature = [](Device device, std::int32_t, std::uint32_t* out) {
    return health_answer(device, std::uint32_t{41}, out);
  };
  api.clock_info = [](Device device, std::int32_t clock, std::uint32_t* out) {
    return health_answer(device, std::uint32_t(clock == kClockSm ? 1980 : 3201), out);
  };
  api.clocks_event_reasons = [](Device device, unsigned long long* out) {
    return health_answer(device, 4ULL, out);
  };
  api.memory_info = [](Device device, Memory* out) {
    return health_answer(device, Memory{100, 40, 60}, out);
  };
}

}  // namespace

void FakeGpu::set_field(Field field, FieldScope scope, std::uint32_t milli) {
  FieldValue entry{};
  entry.field = field;
  entry.scope = scope;
  entry.type = ValueType::unsigned_int;
  entry.value.unsigned_int = milli;
  fields[{field, scope}] = entry;
}

FakeNvml& fake_nvml() {
  static FakeNvml state;
  return state;
}

Api fake_api() {
  Api api;
  bind_identity(api);
  bind_health(api);
  api.power_usage = [](Device device, std::uint32_t* out) {
    return answer(gpu_of(device), gpu_of(device).power_usage_mw, out);
  };
  api.total_energy = [](Device device, unsigned long long* out) {
    return answer(gpu_of(device), gpu_of(device).energy_mj, out);
  };
  api.enforced_limit = [](Device device, std::uint32_t* out) {
    return answer(gpu_of(device), gpu_of(device).enforced_limit_mw, out);
  };
  api.limit_constraints = [](Device device, std::uint32_t* least, std::uint32_t* greatest) {
    *least = 0;
    return answer(gpu_of(device), gpu_of(device).greatest_limit_mw, greatest);
  };
  api.field_values = field_values;
  api.samples = samples;
  return api;
}

}  // namespace truewatt::sensor::nvml
