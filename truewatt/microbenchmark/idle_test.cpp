#include "truewatt/microbenchmark/idle.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::microbenchmark {
namespace {

Point point_of(int batch) {
  Point point;
  point.batch = batch;
  return point;
}

TEST(Idle, ItsChangesAreItsUncertainty) {
  // Differences of two windows with 1 W each: a baseline is their mean, 0.7 W.
  std::vector<double> changes;
  for (int i = 0; i < 200; ++i) changes.push_back(i % 2 == 0 ? std::sqrt(2.0) : -std::sqrt(2.0));
  EXPECT_NEAR(idle_uncertainty(changes), 1 / std::sqrt(2.0), 0.01);
  EXPECT_GT(idle_uncertainty(std::vector<double>{std::sqrt(2.0)}), 3.0);
  EXPECT_EQ(idle_uncertainty({}), 0.0);
}

TEST(Idle, IsSharedWithinARecordingAndIndependentBetween) {
  const std::vector<Point> together{point_of(0), point_of(0)};
  const std::vector<Point> apart{point_of(0), point_of(1)};
  EXPECT_DOUBLE_EQ(idle_share(together), 1.0);
  EXPECT_NEAR(idle_share(apart), 1 / std::sqrt(2.0), 1e-12);
}

TEST(Idle, ARecordingInWhichSomethingElseRanIsNotSteady) {
  const std::vector<double> changes{0.4, -0.5, 0.3, 24.0, -0.2};
  EXPECT_EQ(steady_batches(changes), (std::vector<bool>{true, true, true, false, true}));
  EXPECT_EQ(steady_batches(std::vector<double>{0.1, 24.0}), (std::vector<bool>{true, true}));
}

// What readings stray by averages out over stretches; what a profile errs by does not.
TEST(Idle, StretchesInRandomOrderStrayEachInItsOwnWay) {
  std::vector<uncertainty::Budget> stretches;
  for (int run = 0; run < 4; ++run) {
    uncertainty::Budget one(100.0);
    one.add(uncertainty::Cause::misfit, 2.0, {.sensor = "power"});
    one.add(uncertainty::Cause::age, 1.0, {.sensor = "power"});
    stretches.push_back(as_in_random_order(one, run));
  }
  const uncertainty::Budget all = uncertainty::sum(stretches);
  EXPECT_NEAR(all.part(uncertainty::averages_out), 2.0 * std::sqrt(4.0), 1e-9);
  EXPECT_NEAR(all.standard_uncertainty(), std::hypot(4.0, 4.0 * 1.0), 1e-9);
}

}  // namespace
}  // namespace truewatt::microbenchmark
