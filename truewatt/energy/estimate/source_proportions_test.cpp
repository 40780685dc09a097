#include "truewatt/energy/estimate/source_proportions.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

bool differ(const Recording& recording, const CourseWindow& window) {
  return counted_and_shown_differ(observe(recording, {}), window);
}

TEST(SourceProportions, ACounterThatCountsAsThePowerShowsDoesNotDiffer) {
  EXPECT_FALSE(differ(counted_times(1.0), {2, 6}));
  EXPECT_FALSE(differ(counted_times(1.1), {2, 6})) << "gains scatter by 5 % each";
}

TEST(SourceProportions, ACounterThatCountsDoubleInTheMidstDiffersWhereItDoes) {
  EXPECT_TRUE(differ(counted_times(2.0), {2, 6}));
  EXPECT_FALSE(differ(counted_times(2.0), {1, 3.5}));
}

// It shows a step of a second and a half when that is over.
TEST(SourceProportions, AnAverageOverASecondShowsLateAndDoesNotDiffer) {
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

TEST(SourceProportions, WhatDiffersIsNotResolved) {
  const Window window{at(2), at(6), "load"};
  EXPECT_FALSE(estimate_energy(counted_times(2.0), window).resolved);
}

}  // namespace
}  // namespace truewatt::energy
