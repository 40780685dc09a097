// The full estimator on what a run of 56 s leaves with idle on either side, a minute of readings of
// all sources of one device: the time of an estimate alone, without capture. Trains of 20 to 200
// bursts, with the activity known and not.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <map>
#include <string>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/measure/measurement.hpp"

namespace truewatt::measure {
namespace {

constexpr double kLoad = 56.0;  // s

const Profile* profile_of(const std::string& device) {
  static std::map<std::string, Profile> all;
  const auto known = all.find(device);
  if (known != all.end()) return &known->second;
  auto set = devices::open_devices({.selectors = {device}, .seed = 1}, {});
  if (!set) return nullptr;
  const auto result = characterize::characterize(*set, {}, {.seed = 1});
  return result ? &(all[device] = result->profile) : nullptr;
}

Result<Recording> train(const std::string& device, int bursts) {
  auto set = devices::open_devices({.selectors = {device}, .seed = 1}, {});
  if (!set) return Unexpected(set.error());
  const double each = kLoad / bursts;
  const auto schedule = load::parse_schedule(
      fmt::format("burst:on={}s,gap={}s,jitter=0.2,count={}", each / 2, each / 2, bursts), 1);
  if (!schedule) return Unexpected(schedule.error());
  auto result = measure(*set, *schedule, {}, {});
  if (!result) return Unexpected(result.error());
  return std::move(result->recordings.front());
}

void Estimate(benchmark::State& state, const std::string& device, bool informed) {
  const Profile* profile = profile_of(device);
  auto recording = train(device, static_cast<int>(state.range(0)));
  if (profile == nullptr || !recording) return state.SkipWithError("no run");
  if (!informed) recording->activity.clear();
  const energy::Knowledge knowledge{.profile = profile};
  const Window window = recording->windows.front();
  energy::EnergyEstimate estimate;
  for (auto _ : state) estimate = energy::estimate_energy(*recording, window, knowledge);
  double readings = 0.0;
  for (const Trace& trace : recording->traces)
    readings += static_cast<double>(trace.samples.size());
  state.counters["sources"] = static_cast<double>(recording->traces.size());
  state.counters["samples"] = readings;
  state.counters["resolved"] = estimate.resolved ? 1 : 0;
}

BENCHMARK_CAPTURE(Estimate, h200_known, "sim:h200", true)
    ->Arg(20)
    ->Arg(60)
    ->Arg(200)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Estimate, h200_blind, "sim:h200", false)->Arg(60)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Estimate, a100_known, "sim:a100", true)->Arg(60)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace truewatt::measure
