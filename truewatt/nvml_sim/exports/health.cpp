// Utilisation, temperature, clocks, memory, links and processes.
#include "truewatt/nvml_sim/board_facts.hpp"
#include "truewatt/nvml_sim/exports/entry.hpp"

namespace truewatt::nvml_sim {
namespace {

using State = simgpu::SimulatedGpu::State;

enum ClockType { kGraphics = 0, kSm = 1, kMemory = 2, kVideo = 3 };
enum Threshold { kShutdown = 0, kSlowdown = 1 };
constexpr unsigned kShutdownCelsius = 95;
constexpr unsigned kSlowdownCelsius = 90;
constexpr unsigned kSupportedReasons = 0x1 | 0x4;  // idle, power cap
constexpr unsigned kLinkGeneration = 4;
constexpr unsigned kLinkWidth = 16;
constexpr unsigned kMediaSamplingUs = 100'000;
constexpr int kPerformanceStateBusy = 0;
constexpr int kPerformanceStateIdle = 8;

template <class Value>
Return give_constant(Handle handle, std::type_identity_t<Value> value, Value* out) {
  return on_device(handle, [&](SimulatedDevice&) { return give(value, out); });
}

Return clock(Handle handle, int type, unsigned int* out) {
  return on_state(handle, [&](SimulatedDevice& device, const State& state) {
    switch (type) {
      case kGraphics:
      case kSm:
      case kVideo:
        return give(static_cast<unsigned int>(state.sm_clock_mhz), out);
      case kMemory:
        return give(board_facts(device.description()).memory_clock_mhz, out);
      default:
        return kInvalidArgument;
    }
  });
}

Return max_clock(Handle handle, int type, unsigned int* out) {
  return on_device(handle, [&](SimulatedDevice& device) {
    const auto facts = board_facts(device.description());
    if (type < kGraphics || type > kVideo) return kInvalidArgument;
    return give(type == kMemory ? facts.memory_clock_mhz : facts.max_sm_clock_mhz, out);
  });
}

Return reasons(Handle handle, unsigned long long* out) {
  return on_state(handle, [out](SimulatedDevice&, const State& state) {
    return give(static_cast<unsigned long long>(state.clocks_event_reasons), out);
  });
}

Return performance_state(Handle handle, int* out) {
  return on_state(handle, [out](SimulatedDevice&, const State& state) {
    return give(state.context ? kPerformanceStateBusy : kPerformanceStateIdle, out);
  });
}

Memory memory(const SimulatedDevice& device, const State& state) {
  const auto total = board_facts(device.description()).memory_bytes;
  return {total, total - state.memory_used_bytes, state.memory_used_bytes};
}

Return media_utilization(Handle handle, unsigned int* percent, unsigned int* sampling_us) {
  const auto code = give_constant(handle, 0, percent);
  return code == kSuccess ? give(kMediaSamplingUs, sampling_us) : code;
}

/// Nothing runs on a simulated GPU that has a process id; every generation of the call says so
/// without touching its list.
Return no_processes(Handle handle, unsigned int* count) { return give_constant(handle, 0, count); }

}  // namespace
}  // namespace truewatt::nvml_sim

namespace sim = truewatt::nvml_sim;
using sim::Handle;
using sim::Return;
using sim::SimulatedDevice;
using State = truewatt::simgpu::SimulatedGpu::State;

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetUtilizationRates(Handle handle, sim::Utilization* out) {
  return sim::on_state(handle, [out](SimulatedDevice& device, const State& state) {
    if (device.mig()) return sim::kNotSupported;  // as real drivers answer in MIG mode
    const auto percent = static_cast<unsigned int>(state.utilization_percent);
    return sim::give({percent, percent / 2}, out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetEncoderUtilization(Handle handle, unsigned int* percent,
                                                            unsigned int* sampling_us) {
  return sim::media_utilization(handle, percent, sampling_us);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDecoderUtilization(Handle handle, unsigned int* percent,
                                                            unsigned int* sampling_us) {
  return sim::media_utilization(handle, percent, sampling_us);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPowerState(Handle handle, int* out) {
  return sim::performance_state(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPerformanceState(Handle handle, int* out) {
  return sim::performance_state(handle, out);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetTemperature(Handle handle, int sensor, unsigned int* out) {
  if (sensor != 0) return sim::kInvalidArgument;
  return sim::on_state(handle, [out](SimulatedDevice&, const State& state) {
    return sim::give(static_cast<unsigned int>(state.temperature_c), out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetTemperatureV(Handle handle, sim::TemperatureV1* out) {
  if (out == nullptr || out->sensor_type != 0) return sim::kInvalidArgument;
  if (out->version != sim::kTemperatureV1Version) return sim::kArgumentVersionMismatch;
  return sim::on_state(handle, [out](SimulatedDevice&, const State& state) {
    out->temperature = static_cast<int>(state.temperature_c);
    return sim::kSuccess;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetTemperatureThreshold(Handle handle, int type,
                                                              unsigned int* out) {
  if (type == sim::kShutdown) return sim::give_constant(handle, sim::kShutdownCelsius, out);
  if (type == sim::kSlowdown) return sim::give_constant(handle, sim::kSlowdownCelsius, out);
  return sim::not_supported(handle);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetClockInfo(Handle handle, int type, unsigned int* out) {
  return sim::clock(handle, type, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetClock(Handle handle, int type, int, unsigned int* out) {
  return sim::clock(handle, type, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMaxClockInfo(Handle handle, int type, unsigned int* out) {
  return sim::max_clock(handle, type, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCurrentClocksEventReasons(Handle handle,
                                                                   unsigned long long* out) {
  return sim::reasons(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCurrentClocksThrottleReasons(Handle handle,
                                                                      unsigned long long* out) {
  return sim::reasons(handle, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSupportedClocksEventReasons(Handle handle,
                                                                     unsigned long long* out) {
  return sim::give_constant(handle, sim::kSupportedReasons, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetSupportedClocksThrottleReasons(Handle handle,
                                                                        unsigned long long* out) {
  return sim::give_constant(handle, sim::kSupportedReasons, out);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMemoryInfo(Handle handle, sim::Memory* out) {
  return sim::on_state(handle, [out](SimulatedDevice& device, const State& state) {
    return sim::give(sim::memory(device, state), out);
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMemoryInfo_v2(Handle handle, sim::MemoryV2* out) {
  if (out == nullptr) return sim::kInvalidArgument;
  if (out->version != sim::kMemoryV2Version) return sim::kArgumentVersionMismatch;
  return sim::on_state(handle, [out](SimulatedDevice& device, const State& state) {
    const auto memory = sim::memory(device, state);
    *out = {out->version, memory.total, 0, memory.free, memory.used};
    return sim::kSuccess;
  });
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetBAR1MemoryInfo(Handle handle, sim::Bar1Memory* out) {
  return sim::on_device(handle, [out](SimulatedDevice& device) {
    const auto total = sim::board_facts(device.description()).memory_bytes;
    return sim::give({total, total, 0}, out);
  });
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPcieThroughput(Handle handle, int, unsigned int* out) {
  return sim::give_constant(handle, 0, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCurrPcieLinkGeneration(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, sim::kLinkGeneration, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMaxPcieLinkGeneration(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, sim::kLinkGeneration, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetCurrPcieLinkWidth(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, sim::kLinkWidth, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMaxPcieLinkWidth(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, sim::kLinkWidth, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPcieReplayCounter(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, 0, out);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetPersistenceMode(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, 1, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetComputeMode(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, 0, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDisplayMode(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, 0, out);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetDisplayActive(Handle handle, unsigned int* out) {
  return sim::give_constant(handle, 0, out);
}

TRUEWATT_NVML_EXPORT Return nvmlDeviceGetComputeRunningProcesses(Handle handle, unsigned int* count,
                                                                 void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetComputeRunningProcesses_v2(Handle handle,
                                                                    unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetComputeRunningProcesses_v3(Handle handle,
                                                                    unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetGraphicsRunningProcesses(Handle handle,
                                                                  unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetGraphicsRunningProcesses_v2(Handle handle,
                                                                     unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetGraphicsRunningProcesses_v3(Handle handle,
                                                                     unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMPSComputeRunningProcesses(Handle handle,
                                                                    unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMPSComputeRunningProcesses_v2(Handle handle,
                                                                       unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetMPSComputeRunningProcesses_v3(Handle handle,
                                                                       unsigned int* count, void*) {
  return sim::no_processes(handle, count);
}
TRUEWATT_NVML_EXPORT Return nvmlDeviceGetProcessUtilization(Handle handle, void*,
                                                            unsigned int* count,
                                                            unsigned long long) {
  const auto code = sim::no_processes(handle, count);
  return code == sim::kSuccess ? sim::kNotFound : code;
}
