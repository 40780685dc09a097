#include "truewatt/instructions/row_energy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;

constexpr double kIterations = 1e12;
constexpr double kIdle = 100.0;

/// Of a loop that costs 20 pJ and `e` for each of its copies, over one second.
Point point_of(unsigned copies, double e, int batch, double error = 0.0) {
  Point point;
  point.of.copies = copies;
  point.length = Seconds(1.0);
  point.iterations = kIterations;
  point.batch = batch;
  point.energy_j = Budget((kIdle + 20.0 + e * copies) * (1.0 + error));
  point.energy_j.add(Cause::noise, 0.1, {.run = static_cast<int>(copies)});
  point.idle_j = Budget(kIdle);
  return point;
}

TEST(Slopes, AreTheCostOfOneCopyAboveEachBaseline) {
  std::vector<Point> points;
  for (const unsigned copies : {16U, 32U, 64U, 128U}) points.push_back(point_of(copies, 5.0, 0));
  const Slopes slopes = slopes_of(points, {}, {.spin_w = Budget(30.0)});
  ASSERT_TRUE(slopes.dynamic_pj && slopes.total_pj && slopes.above_spin_pj);
  // Every loop lasts as long: a constant power is no part of a slope.
  EXPECT_NEAR(slopes.dynamic_pj->value(), 5.0, 1e-9);
  EXPECT_NEAR(slopes.total_pj->value(), 5.0, 1e-9);
  EXPECT_NEAR(slopes.above_spin_pj->value(), 5.0, 1e-9);
  EXPECT_NEAR(slopes.misfit, 0.0, 1e-9);
}

TEST(Slopes, TheEmptyLoopIsHardlyEvidence) {
  std::vector<Point> points;
  for (const unsigned copies : {16U, 32U, 64U, 128U}) points.push_back(point_of(copies, 5.0, 0));
  Point alone = point_of(0, 5.0, 0);
  alone.energy_j = Budget(kIdle + 10.0);  // half of what the loop costs beside copies
  const std::vector<Point> empty{alone};
  const Slopes slopes = slopes_of(points, empty, {});
  ASSERT_TRUE(slopes.dynamic_pj);
  EXPECT_NEAR(slopes.dynamic_pj->value(), 5.0, 0.01);
}

// A run weighs by what its line says, not by what it read: those that err low would weigh most.
TEST(Slopes, RunsThatErrLowWeighNoMoreThanOthers) {
  std::vector<Point> points;
  int batch = 0;
  for (const unsigned copies : {16U, 32U, 64U, 128U}) {
    for (const double error : {-0.6, 0.6}) {
      Point point = point_of(copies, 5.0, batch++);
      point.energy_j = Budget(kIdle + (20.0 + 5.0 * copies) * (1.0 + error));
      points.push_back(std::move(point));
    }
  }
  const Slopes slopes = slopes_of(points, {}, {});
  ASSERT_TRUE(slopes.dynamic_pj);
  EXPECT_NEAR(slopes.dynamic_pj->value(), 5.0, 1e-6);
}

TEST(Slopes, ErrorsOfOneLoopAreTheScatter) {
  std::vector<Point> points;
  int sign = 1;
  for (const unsigned copies : {16U, 32U, 48U, 64U, 96U, 128U}) {
    points.push_back(point_of(copies, 5.0, 0, 0.01 * (sign = -sign)));
  }
  const Slopes slopes = slopes_of(points, {}, {});
  ASSERT_TRUE(slopes.dynamic_pj);
  const double half = half_width_of(*on_scale_j(slopes.dynamic_pj)) * 1e12;
  EXPECT_NEAR(slopes.dynamic_pj->value(), 5.0, half);
  EXPECT_GT(half, 0.05);
  EXPECT_LT(half, 0.5);
}

TEST(Slopes, OneCountTellsNothing) {
  const std::vector<Point> points{point_of(16, 5.0, 0), point_of(16, 5.0, 1)};
  EXPECT_FALSE(slopes_of(points, {}, {}).dynamic_pj);
}

// Behind a slow filter readings leave each stretch open by 3 % where stretches scatter by half.
TEST(Overstated, IsWhatRunsSayOverWhatTheyScatter) {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> error(0.0, 0.005);
  std::vector<std::vector<Point>> rows;
  for (int row = 0; row < 30; ++row) {
    auto& points = rows.emplace_back();
    for (const unsigned copies : {16U, 32U, 48U, 64U, 96U, 128U}) {
      Point point = point_of(copies, 1.0 + row, 0, error(rng));
      point.energy_j = Budget(point.energy_j.value());
      point.energy_j.add(Cause::readings, 0.03 * point.energy_j.value());
      points.push_back(std::move(point));
    }
  }
  const double by = overstated(rows);
  EXPECT_NEAR(by, 6.0, 1.0);
  EXPECT_EQ(overstated(std::span(rows).first(5)), 1.0) << "few residuals tell little";
  const Scatters scatters = scatters_of(rows[3], {});
  const auto width = [&](double overstated_by) {
    const Slopes slopes = slopes_of(rows[3], {}, {.overstated = overstated_by}, scatters);
    return slopes.dynamic_pj->precision();
  };
  EXPECT_NEAR(width(by), width(1.0) / by, 0.1 * width(1.0) / by);
  for (auto& points : rows) {
    for (Point& point : points) {
      point.energy_j = Budget(point.energy_j.value());
      point.energy_j.add(Cause::readings, 0.001 * point.energy_j.value());
    }
  }
  EXPECT_EQ(overstated(rows), 1.0) << "runs that scatter more than they say";
}

}  // namespace
}  // namespace truewatt::instructions
