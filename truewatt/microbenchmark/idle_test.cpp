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

}  // namespace
}  // namespace truewatt::microbenchmark
