#include "truewatt/energy/estimate/source_votes.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/testing/random_program.hpp"
#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

// A board of which it is published that its power is a mean over a second shows the power itself:
// with the counter it does not fit, and what it shows in all is in the interval.
TEST(SourceVotes, AReadingThatIsNotWhatIsPublishedIsLeftOut) {
  const double truth = 4 * 100 + 2 * 200;
  const Window window{at(2), at(6), "load"};
  Profile published;
  published.sources.push_back({.source = kInstant,
                               .update_period_s = Interval{0.1, 0.09, 0.11, 0.95},
                               .averaging_window_s = Interval{1.0, 0.95, 1.05, 0.95},
                               .time_constant_s = Interval{0.0, 0.0, 0.0, 0.95},
                               .delay_s = Interval{0.0, 0.0, 0.01, 0.95}});
  for (const double times : {1.0, 1.05}) {
    const Recording recording = counted_times(times);
    const EnergyEstimator estimator(recording, {.published = &published}, {}, {});
    const EnergyEstimate estimate = estimator.estimate(window);
    ASSERT_TRUE(estimate.energy) << times;
    const double half = 2 * estimate.energy->without_gain();
    EXPECT_NEAR(estimate.energy->interval.value, truth, half) << times;
    EXPECT_LT(half, 0.08 * truth) << times;
    ASSERT_FALSE(estimate.dropped.empty()) << times;
    EXPECT_EQ(estimate.dropped.front().reason, Reason::model_misfit);
  }
}

// Work of 2 s and 2 s of rest as a counter tells it and as a power source does.
constexpr double kRepeats = 2.0;

TestProgram on_and_off() {
  TestProgram program{.idle_w = 60, .length = 12};
  for (double t = 1; t + kRepeats < program.length; t += 2 * kRepeats) {
    program.work.push_back({t, t + kRepeats, 380});
  }
  return program;
}

Window of(double begin, double end) {
  const auto stamp = [](double s) { return program_begin() + to_nanoseconds(Seconds(s)); };
  return {stamp(begin), stamp(end), "window"};
}

// Of sources that nobody knows, work in step may hide from each alone; from two that agree it does
// not.
TEST(SourceVotes, ACounterThatContradictsTwoThatAgreeIsDropped) {
  const TestProgram program = on_and_off();
  std::vector<TestSensor> sensors = sensors_of("boxcar");
  ASSERT_EQ(sensors.size(), 1U);
  TestSensor fast = sensors.front();
  fast.source = {SourceKind::power_usage, Scope::gpu};
  fast.model.update_period = fast.model.averaging_window = Seconds(0.05);
  sensors.push_back(fast);
  TestSensor counter = sensors_of("counter").front();
  counter.gain = 1.4;
  sensors.push_back(counter);
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 rng(seed);
    const Recording recording = record(program, sensors, rng);
    const EnergyEstimate estimate = EnergyEstimator(recording, {}, {}, {}).estimate(of(2, 10));
    ASSERT_TRUE(estimate.energy);
    const double truth = program.energy(2, 10);
    EXPECT_NEAR(estimate.energy->interval.value, truth, 0.03 * truth);
    ASSERT_EQ(estimate.dropped.size(), 1U);
    EXPECT_EQ(estimate.dropped.front().source, counter.source);
  }
}

// Gains of a board's sources scatter by a few per cent; beyond that one of two is wrong.
TEST(SourceVotes, AnIntervalHoldsBothOfTwoThatDifferByMoreThanGainsScatter) {
  const TestProgram program = on_and_off();
  for (const double gain : {1.03, 1.1, 1.13}) {
    SCOPED_TRACE(gain);
    std::vector<TestSensor> sensors = sensors_of("boxcar");
    sensors.push_back(sensors_of("counter").front());
    sensors.back().gain = gain;
    std::mt19937_64 rng(5);
    const Recording recording = record(program, sensors, rng);
    const EnergyEstimate estimate = EnergyEstimator(recording, {}, {}, {}).estimate(of(2, 10));
    ASSERT_TRUE(estimate.energy);
    const bool differs = gain > 1.07;
    EXPECT_EQ(has_reason(estimate.reasons, Reason::sources_disagree), differs);
    const double truth = program.energy(2, 10);
    const double half = kCoverageFactor95 * estimate.energy->without_gain();
    EXPECT_EQ(estimate.energy->interval.value - half < truth, differs);
    EXPECT_GT(estimate.energy->interval.value + half, gain * truth);
  }
}

}  // namespace
}  // namespace truewatt::energy
