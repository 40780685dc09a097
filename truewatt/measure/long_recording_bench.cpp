// What long recordings take: the estimator on 10, 30 and 60 minutes of all sources of an H200 with
// a window every 3.6 s, whose time should grow as they do, and the memory of a day that `run`
// recorded.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "truewatt/capture/capture.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/experiment/session.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

void Windows(benchmark::State& state) {
  const auto length = static_cast<double>(state.range(0));
  std::mt19937_64 rng(5);
  const auto sensors = energy::sensors_of("h200");
  const Recording recording = record(energy::random_program(rng, length), sensors, rng);
  const Profile profile = energy::profile_of(sensors);
  std::vector<Window> windows;
  for (double begin = 1.0; begin + 2.0 < length; begin += 3.6) {
    const HostTime at = energy::program_begin() + to_nanoseconds(Seconds(begin));
    windows.push_back({at, at + 1s, ""});
  }
  double passes = 0.0;
  for (auto _ : state) {
    const energy::EnergyEstimator estimator(recording, {.profile = &profile}, {}, windows);
    for (const Window& window : windows) benchmark::DoNotOptimize(estimator.estimate(window));
    passes = estimator.passes();
  }
  state.counters["windows"] = static_cast<double>(windows.size());
  state.counters["passes"] = passes;
  state.counters["us_per_s"] = benchmark::Counter(
      1e-6 * length, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(Windows)->Arg(600)->Arg(1800)->Arg(3600)->Unit(benchmark::kMillisecond);

double peak_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Sampled as `run` does: edges attended alone, long traces kept as sums.
void Day(benchmark::State& state) {
  for (auto _ : state) {
    auto set = devices::open_devices({.selectors = {"sim:h200"}, .seed = 7}, {});
    const auto schedule = load::parse_schedule("burst:on=20s,gap=5s,jitter=9s,count=2800", 1);
    if (!set || !schedule) return state.SkipWithError("no device");
    auto loads = experiment::prepare_loads(*set, *schedule, {}, {});
    if (!loads) return state.SkipWithError("no load");
    Clock& clock = *set->clock;
    capture::Recorder recorder(std::nullopt);
    capture::Capture capture(experiment::sensors_of(*set), clock, recorder);
    Window window{clock.now() + 2s, clock.now() + 24h, "command"};
    if (!loads->all[0]->play(*schedule, window.begin + 20ms, {})) return;
    capture.attend(window.begin - 2s, window.begin + 900ms);
    capture.start();
    capture.attend(window.end, window.end + 2s);
    capture.run_until(window.end + 3s);
    capture.stop();
    state.counters["recorded_mb"] = peak_mb();
    const auto estimate = energy::estimate_energy(recorder.recordings()[0], window);
    if (!estimate.energy) return state.SkipWithError("no energy");
    const double truth = set->devices[0].simulated->true_energy(
        seconds_between(set->origin, window.begin), seconds_between(set->origin, window.end));
    state.counters["off_percent"] = 100 * (estimate.energy->interval.value / truth - 1);
    state.counters["estimated_mb"] = peak_mb();
  }
}
BENCHMARK(Day)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace truewatt::measure
