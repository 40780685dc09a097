#include "truewatt/instructions/warmth.hpp"

#include <gtest/gtest.h>

#include <random>

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;
using uncertainty::Budget;

constexpr double kRest = 100.0;

/// Rows of loops of 20 pJ and 1 to 6 for each copy, over a second, on a board that draws `share` of
/// its recent power more, of each hundred watts above idle.
std::vector<std::vector<Point>> rows_on(double share, double error, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> recent(150.0, 450.0);
  std::normal_distribution<double> stray(0.0, error);
  std::vector<std::vector<Point>> rows(20);
  double each = 1.0;
  for (auto& points : rows) {
    each += 0.25;
    for (unsigned copies = 16; copies <= 128; copies += 16) {
      Point point;
      point.of.copies = copies;
      point.length = Seconds(1.0);
      point.iterations = 4e12 / (1.0 + copies / 16.0);
      point.recent_w = recent(rng);
      const double own = point.iterations * (20.0 + each * copies) * 1e-12 * (1.0 + stray(rng));
      point.energy_j = Budget(kRest + own * (1 + share * (point.recent_w - 300.0) / 100));
      point.idle_j = Budget(kRest);
      points.push_back(point);
    }
  }
  return rows;
}

// To first order: a board that draws 6 % more has all of its shares that much smaller.
TEST(Warmth, IsFoundByAllRowsTogether) {
  EXPECT_NEAR(warmth_of(rows_on(0.04, 0.0, 1)).share_per_watt, 4e-4, 5e-5);
  EXPECT_NEAR(warmth_of(rows_on(0.04, 0.01, 2)).share_per_watt, 4e-4, 5e-5);
  EXPECT_NEAR(warmth_of(rows_on(0.0, 0.01, 3)).share_per_watt, 0.0, 2e-5);
}

// What idle errs by is a share of light rows that grows without bound, and tells nothing of a
// board's warmth.
TEST(Warmth, IsTakenOfHeavyRowsMore) {
  for (const unsigned seed : {11U, 12U, 13U, 14U}) {
    auto rows = rows_on(0.04, 0.0, seed);
    std::mt19937_64 rng(seed);
    std::normal_distribution<double> stray(0.0, 1.0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const double light = row % 2 == 0 ? 0.02 : 1.0;
      for (Point& point : rows[row]) {
        const double above = (point.energy_j.value() - kRest) * light;
        point.energy_j = Budget(kRest + above + stray(rng));
      }
    }
    EXPECT_NEAR(warmth_of(rows).share_per_watt, 4e-4, 8e-5) << seed;
  }
}

TEST(Warmth, RemovedLeavesWhatTheMeanHad) {
  auto rows = rows_on(0.04, 0.0, 4);
  const Warmth warmth = warmth_of(rows);
  EXPECT_NEAR(warmth.reference_w, 300.0, 20.0);
  const Point& point = rows[3][2];
  const double above = point.energy_j.value() - kRest;
  const double own = above / (1 + 4e-4 * (point.recent_w - 300.0));
  EXPECT_NEAR(warmth.removed_from(point).energy_j.value() - kRest,
              own * (1 + 4e-4 * (warmth.reference_w - 300.0)), 0.005 * own);
}

TEST(Warmth, IsNotRemovedWhereFewRowsTellOfIt) {
  auto rows = rows_on(0.04, 0.015, 6);
  rows.resize(1);
  EXPECT_EQ(warmth_of(rows).share_per_watt, 0.0);
}

TEST(Warmth, OfFewCountsIsNone) {
  auto rows = rows_on(0.04, 0.0, 5);
  for (auto& points : rows) points.resize(3);
  EXPECT_EQ(warmth_of(rows).share_per_watt, 0.0);
  EXPECT_EQ(warmth_of({}).share_per_watt, 0.0);
}

}  // namespace
}  // namespace truewatt::instructions
