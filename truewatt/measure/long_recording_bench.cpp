// What long recordings take: the estimator on 10, 30 and 60 minutes of all sources of an H200 with
// a window every 3.6 s, whose time should grow as they do, and the memory of a day, recorded as
// `run` does.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/long_capture.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAllSamples = std::size_t{1} << 40;

/// Bursts in step with nothing.
Result<LongCapture> recorded(const std::string& device, Nanoseconds length,
                             std::size_t most_samples) {
  constexpr int kBursts = 3000;
  const double each = Seconds(length).count() / kBursts;
  return long_capture({.device = device,
                       .load = fmt::format("burst:on={}s,gap={}s,jitter={}s,count={}", 0.7 * each,
                                           0.2 * each, 0.15 * each, kBursts),
                       .length = length,
                       .most_samples = most_samples});
}

void Windows(benchmark::State& state) {
  const std::chrono::seconds length(state.range(0));
  const auto run = recorded("sim:h200", length, kAllSamples);
  if (!run) return state.SkipWithError(run.error().message.c_str());
  std::vector<Window> windows;
  for (HostTime at = run->window.begin; at + 2s < run->window.end; at += 3600ms) {
    windows.push_back({at, at + 1s, ""});
  }
  double passes = 0.0;
  for (auto _ : state) {
    const energy::EnergyEstimator estimator(run->recording, {}, {}, windows);
    for (const Window& window : windows) benchmark::DoNotOptimize(estimator.estimate(window));
    passes = estimator.passes();
  }
  state.counters["windows"] = static_cast<double>(windows.size());
  state.counters["passes"] = passes;
}
BENCHMARK(Windows)->Arg(600)->Arg(1800)->Arg(3600)->Unit(benchmark::kMillisecond);

/// A line of /proc/self/status, in MB.
double status_mb(const std::string& name) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with(name)) return std::atof(line.c_str() + name.size() + 1) / 1024;
  }
  return 0.0;
}

/// What recording so many hours as `run` does takes, the simulated GPU included.
void Recorded(benchmark::State& state) {
  const std::chrono::hours length(state.range(0));
  std::ofstream("/proc/self/clear_refs") << "5";
  const double before = status_mb("VmRSS");
  for (auto _ : state) {
    const auto run = recorded("sim:h200", length, capture::Recorder::kMostSamples);
    if (!run) return state.SkipWithError(run.error().message.c_str());
  }
  state.counters["peak_mb"] = status_mb("VmHWM") - before;
}
BENCHMARK(Recorded)->Arg(1)->Arg(6)->Arg(24)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The memory of the estimate alone: the simulated GPU of a day is gone, and its peak forgotten.
void Day(benchmark::State& state, const std::string& device) {
  const auto run = recorded(device, 24h, capture::Recorder::kMostSamples);
  if (!run) return state.SkipWithError(run.error().message.c_str());
  std::ofstream("/proc/self/clear_refs") << "5";
  state.counters["before_mb"] = status_mb("VmRSS");
  energy::EnergyEstimate estimate;
  for (auto _ : state) estimate = energy::estimate_energy(run->recording, run->window);
  if (!estimate.energy) return state.SkipWithError("no energy");
  state.counters["peak_mb"] = status_mb("VmHWM");
  state.counters["off_j"] = estimate.energy->interval.value - run->truth_j;
}
BENCHMARK_CAPTURE(Day, h200, "sim:h200")->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Day, a100, "sim:a100")->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace truewatt::measure
