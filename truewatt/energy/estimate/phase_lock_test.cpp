#include "truewatt/energy/estimate/phase_lock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

const Window kTrain{at(2.0), at(6.0), "load"};
const Interval kUpdatePeriod{0.1, 0.09999, 0.10001, 0.95};

Recording bursts(int count, double period, double length) {
  Recording recording;
  for (int i = 0; i < count; ++i) {
    recording.activity.push_back(
        {at(2.0 + i * period), at(2.0 + i * period + length), {.level = 1.0}});
  }
  return recording;
}

TEST(PhaseLock, IsExcludedByALoadWithoutBreaks) {
  EXPECT_TRUE(activity_excludes_lock(bursts(1, 4.0, 4.0), kTrain, kUpdatePeriod));
  EXPECT_TRUE(activity_excludes_lock(bursts(400, 0.01, 0.01), kTrain, kUpdatePeriod));
}

TEST(PhaseLock, IsNotExcludedByAFewPeriods) {
  EXPECT_FALSE(activity_excludes_lock(bursts(1, 4.0, 0.3), kTrain, kUpdatePeriod));
}

TEST(PhaseLock, IsNotExcludedInStepWithTheSourceOrItsHarmonics) {
  EXPECT_FALSE(activity_excludes_lock(bursts(40, 0.1, 0.025), kTrain, kUpdatePeriod));
  EXPECT_FALSE(activity_excludes_lock(bursts(80, 0.05, 0.025), kTrain, kUpdatePeriod));
  EXPECT_FALSE(activity_excludes_lock(bursts(20, 0.2, 0.025), kTrain, kUpdatePeriod));
  EXPECT_FALSE(activity_excludes_lock(bursts(40, 0.1005, 0.025), kTrain, kUpdatePeriod));
}

TEST(PhaseLock, IsExcludedByBeginsOnAllPhases) {
  EXPECT_TRUE(activity_excludes_lock(bursts(35, 0.1131, 0.03), kTrain, kUpdatePeriod));
}

TEST(PhaseLock, IsNotExcludedWhereThePeriodMayBeInStepAfterAll) {
  const Recording load = bursts(35, 0.1131, 0.03);
  EXPECT_FALSE(activity_excludes_lock(load, kTrain, {0.1, 0.08, 0.12, 0.95}));
  EXPECT_TRUE(activity_excludes_lock(load, kTrain, {0.1, 0.099, 0.101, 0.95}));
}

TEST(PhaseLock, AFastRhythmMayBeThatOfWhatASourceLooksAtInside) {
  EXPECT_TRUE(has_fast_rhythm(bursts(2000, 0.002, 0.0016), kTrain, 0.1));
  EXPECT_TRUE(has_fast_rhythm(bursts(57, 0.07, 0.03), kTrain, 0.1));
  EXPECT_FALSE(has_fast_rhythm(bursts(35, 0.1131, 0.03), kTrain, 0.1));
  EXPECT_FALSE(has_fast_rhythm(bursts(1, 4.0, 4.0), kTrain, 0.1));
  EXPECT_FALSE(has_fast_rhythm({}, kTrain, 0.1));
  Recording uneven = bursts(50, 0.07, 0.03);
  for (std::size_t i = 0; i < uneven.activity.size(); ++i) {
    const Nanoseconds shift =
        to_nanoseconds(Seconds(0.03 * std::sin(2.4 * static_cast<double>(i))));
    uneven.activity[i].begin += shift;
    uneven.activity[i].end += shift;
  }
  EXPECT_FALSE(has_fast_rhythm(uneven, kTrain, 0.1));
}

TEST(PhaseLock, IsNotExcludedWhereNothingIsKnown) {
  EXPECT_FALSE(activity_excludes_lock({}, kTrain, kUpdatePeriod));
  EXPECT_FALSE(activity_excludes_lock(bursts(3, 0.9, 0.3), kTrain, kUpdatePeriod));
}

/// Readings of a first-order filter of 13 ms, 20 ms apart, of 10 ms of 200 W every `period` from 2
/// to 6 s.
std::vector<ticks::Tick> filtered_bursts(double period) {
  constexpr double kLag = 0.013;
  std::vector<ticks::Tick> readings;
  for (int k = 0; k < 400; ++k) {
    const double now = 0.02 * k;
    double value = 100.0;
    for (double begin = 2.0; begin < 6.0 && begin < now; begin += period) {
      const double end = std::min(begin + 0.01, now);
      value += 200 * (std::exp(-(now - end) / kLag) - std::exp(-(now - begin) / kLag));
    }
    readings.push_back({now, 0.0, value, true});
  }
  return readings;
}

TEST(PhaseLock, LoadsThatRepeatWithTheReadingsHideTheSameEveryTime) {
  const double locked = hidden_in_repeats(filtered_bursts(0.1), 0.02, 0.026, 2.0, 6.0);
  // The readings' sum is off by 10 to 40 % of 80 J, by where between two readings a burst ends.
  EXPECT_GT(locked, 15.0);
  EXPECT_LT(locked, 60.0);
  // Every burst another phase: 87.3 ms are 4.4 periods.
  EXPECT_LT(hidden_in_repeats(filtered_bursts(0.0873), 0.02, 0.026, 2.0, 6.0), 0.6 * locked);
  // From one to the next alike, but 2 ms later: over 40 of them every phase, four times.
  EXPECT_LT(hidden_in_repeats(filtered_bursts(0.102), 0.02, 0.026, 2.0, 6.0), 0.5 * locked);
}

TEST(PhaseLock, SteadyAndSlowLoadsHideNothing) {
  std::vector<ticks::Tick> readings;
  for (int k = 0; k < 200; ++k) {
    const double now = 0.02 * k;
    readings.push_back({now, 0.0, 300 + 50 * std::sin(now), true});
  }
  EXPECT_EQ(hidden_in_repeats(readings, 0.02, 0.026, 0.0, 4.0), 0.0);
  for (ticks::Tick& tick : readings) tick.value = 300.0;
  EXPECT_EQ(hidden_in_repeats(readings, 0.02, 0.026, 0.0, 4.0), 0.0);
  EXPECT_EQ(hidden_in_repeats({}, 0.02, 0.026, 0.0, 4.0), 0.0);
}

}  // namespace
}  // namespace truewatt::energy
