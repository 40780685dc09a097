#include <gtest/gtest.h>

#include "truewatt/capture/capture.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/experiment/session.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kLength = 1200s;

/// Bursts in step with nothing for 20 minutes, sampled as `run` does: edges attended alone.
struct LongRun {
  Recording recording;
  double truth_j = 0.0;
  Window window;
};

LongRun long_run(const std::string& device, std::size_t most_samples) {
  LongRun run;
  auto set = devices::open_devices({.selectors = {device}, .seed = 7}, {});
  EXPECT_TRUE(set);
  const auto schedule =
      load::parse_schedule("burst:on=170ms,gap=60ms,jitter=200ms,count=3636", 1).value();
  auto loads = experiment::prepare_loads(*set, schedule, {}, {}).value();
  Clock& clock = *set->clock;
  capture::Recorder recorder(std::nullopt, most_samples);
  capture::Capture capture(experiment::sensors_of(*set), clock, recorder);
  run.window.begin = clock.now() + 2s;
  EXPECT_TRUE(loads.all[0]->play(schedule, run.window.begin + 20ms, {}));
  capture.attend(run.window.begin - 2s, run.window.begin + 900ms);
  capture.start();
  run.window.end = run.window.begin + kLength;
  capture.attend(run.window.end, run.window.end + 2s);
  capture.run_until(run.window.end + 12s);
  capture.stop();
  run.recording = recorder.recordings()[0];
  run.recording.windows = {run.window};
  run.truth_j = set->devices[0].simulated->true_energy(
      seconds_between(set->origin, run.window.begin), seconds_between(set->origin, run.window.end));
  return run;
}

// What a run of hours keeps in memory is that of minutes, and tells the same joules.
TEST(LongRun, IsToldFromItsEdgesAndSums) {
  for (const std::string device : {"sim:h200", "sim:p100"}) {
    SCOPED_TRACE(device);
    const LongRun all = long_run(device, std::size_t{1} << 40);
    const LongRun sums = long_run(device, 4000);
    ASSERT_EQ(all.truth_j, sums.truth_j);
    for (const Trace& trace : sums.recording.traces) {
      EXPECT_LT(trace.samples.size(), 6000U) << to_string(trace.source);
      EXPECT_LE(trace.condensed.size(), 600U) << to_string(trace.source);
    }
    const auto told = energy::estimate_energy(sums.recording, sums.window);
    const auto of_all = energy::estimate_energy(all.recording, all.window);
    ASSERT_TRUE(told.energy && of_all.energy);
    EXPECT_EQ(told.method, of_all.method);
    EXPECT_EQ(told.reasons, of_all.reasons);
    EXPECT_EQ(told.resolved, of_all.resolved);
    const double half = *half_width_without_gain(told) + *half_width_without_gain(of_all);
    EXPECT_NEAR(told.energy->interval.value / of_all.energy->interval.value, 1.0, half);
    EXPECT_LT(half, 0.03);
    EXPECT_LE(told.energy->interval.lower, sums.truth_j);
    EXPECT_GE(told.energy->interval.upper, sums.truth_j);
    ASSERT_EQ(told.naive_j.size(), of_all.naive_j.size());
    for (const auto& [source, joules] : of_all.naive_j) {
      EXPECT_NEAR(told.naive_j.at(source) / joules, 1.0, 1e-9) << source;
    }
  }
}

}  // namespace
}  // namespace truewatt::measure
