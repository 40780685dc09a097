#include <benchmark/benchmark.h>

#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::simgpu {
namespace {

/// Ten minutes of a square wave, every source of a built-in device polled at 1 kHz.
void TenMinutesAtOneKilohertz(benchmark::State& state, const char* name) {
  const DeviceDescription device = builtin_device(name).value();
  Play play{.end = 590.0};
  for (int i = 0; i < 5800; ++i) {
    play.steps.push_back({5.0 + 0.1 * i, i % 2 == 0 ? 1.0 : 0.0});
  }
  for (auto _ : state) {
    SimulatedGpu gpu(device, 1);
    gpu.play(play);
    double sum = 0.0;
    for (int i = 0; i < 600'000; ++i) {
      for (const SensorDescription& sensor : device.sensors) {
        if (comes_in_ring(sensor.source)) continue;
        sum += gpu.read(sensor.source, 1e-3 * i)->value;
      }
      if (i % 1000 == 0) (void)gpu.samples(1e-3 * i - 1.0, 1e-3 * i);
    }
    benchmark::DoNotOptimize(sum);
  }
}

/// The same with one source, as the goal is worded: an experiment polled at 1 kHz.
void OneSource(benchmark::State& state, const char* name) {
  DeviceDescription device = builtin_device(name).value();
  std::erase_if(device.sensors, [](const SensorDescription& sensor) {
    return sensor.source != SourceId{SourceKind::power_instant, Scope::gpu};
  });
  Play play{.end = 590.0};
  for (int i = 0; i < 5800; ++i) {
    play.steps.push_back({5.0 + 0.1 * i, i % 2 == 0 ? 1.0 : 0.0});
  }
  for (auto _ : state) {
    SimulatedGpu gpu(device, 1);
    gpu.play(play);
    double sum = 0.0;
    for (int i = 0; i < 600'000; ++i) sum += gpu.read(device.sensors[0].source, 1e-3 * i)->value;
    benchmark::DoNotOptimize(sum);
  }
}

BENCHMARK_CAPTURE(OneSource, a100, "a100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OneSource, h200, "h200")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(TenMinutesAtOneKilohertz, a100, "a100")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(TenMinutesAtOneKilohertz, h200, "h200")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace truewatt::simgpu
