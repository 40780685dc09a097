#include "truewatt/energy/estimate/source_votes.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

/// 100 W and 300 W over [3, 5] s by a power source, and a counter that counts `times` as much from
/// 4 s on.
Recording counted_times(double times) {
  const auto right = step_counter(3, 5);
  const auto counted = [right, times](double t) {
    return right(t) + (t > 4 ? (times - 1) * (right(t) - right(4)) : 0.0);
  };
  Recording recording;
  recording.traces = {make_trace(kCounter, 0.1, 8.0, 0.1, counted),
                      make_trace(kInstant, 0.1, 8.0, 0.1, step_power(3, 5))};
  return recording;
}

bool differ(const Recording& recording, const CourseWindow& window) {
  return counted_and_shown_differ(observe(recording, {}), window);
}

TEST(SourceVotes, ACounterThatCountsAsThePowerShowsDoesNotDiffer) {
  EXPECT_FALSE(differ(counted_times(1.0), {2, 6}));
  EXPECT_FALSE(differ(counted_times(1.1), {2, 6})) << "gains scatter by 5 % each";
}

TEST(SourceVotes, ACounterThatCountsDoubleInTheMidstDiffersWhereItDoes) {
  EXPECT_TRUE(differ(counted_times(2.0), {2, 6}));
  EXPECT_FALSE(differ(counted_times(2.0), {1, 3.5}));
}

// It shows a step of a second and a half when that is over.
TEST(SourceVotes, AnAverageOverASecondShowsLateAndDoesNotDiffer) {
  const auto counted = step_counter(3, 4.5);
  Recording recording;
  recording.traces = {
      make_trace(kCounter, 0.02, 8.0, 0.02, counted),
      make_trace({SourceKind::power_average, Scope::gpu}, 0.02, 8.0, 0.02,
                 [&](double t) { return t < 1 ? 100.0 : counted(t) - counted(t - 1); })};
  ObservedBoard board = observe(recording, {});
  ASSERT_EQ(board.sources.size(), 2U);
  board.sources[1].window = 1.0;
  EXPECT_FALSE(counted_and_shown_differ(board, {3, 4.5}));
}

TEST(SourceVotes, WhatDiffersIsNotResolved) {
  const Window window{at(2), at(6), "load"};
  EXPECT_FALSE(estimate_energy(counted_times(2.0), window).resolved);
}

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

}  // namespace
}  // namespace truewatt::energy
