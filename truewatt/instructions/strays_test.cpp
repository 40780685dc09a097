#include "truewatt/instructions/strays.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;
using uncertainty::Budget;

/// Rows of eight loops of 20 pJ and 2 for each copy, which scatter by 1.5 %.
std::vector<std::vector<Point>> scattered_rows(std::size_t count, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<Point>> rows(count);
  for (auto& points : rows) {
    for (unsigned copies = 16; copies <= 128; copies += 16) {
      Point point;
      point.of.copies = copies;
      point.iterations = 1e11;
      point.idle_j = Budget(20.0);
      point.energy_j = Budget(20.0 + 0.1 * (20.0 + 2.0 * copies) * (1 + 0.015 * normal(rng)));
      points.push_back(point);
    }
  }
  return rows;
}

void draw_more(Point& point, double share) {
  const double above_j = point.energy_j.value() - point.idle_j.value();
  point.energy_j = Budget(point.energy_j.value() + share * above_j);
}

TEST(Strays, AreStretchesThatDrewATenthMore) {
  auto rows = scattered_rows(20, 1);
  for (const std::size_t row : {3U, 7U, 12U}) draw_more(rows[row][5], 0.12);
  draw_more(rows[7][2], 0.12);
  take_out_strays(rows);
  EXPECT_EQ(rows[3].size(), 7U);
  EXPECT_EQ(rows[7].size(), 6U);
  EXPECT_EQ(rows[12].size(), 7U);
  for (const Point& point : rows[7]) EXPECT_TRUE(point.of.copies != 48 && point.of.copies != 96);
}

TEST(Strays, AreFewWherePointsScatterAlike) {
  auto rows = scattered_rows(100, 2);
  take_out_strays(rows);
  std::size_t left = 0;
  for (const auto& points : rows) left += points.size();
  EXPECT_GE(left, 780U);  // of 800
}

TEST(Strays, AreAQuarterOfARowAtMost) {
  auto rows = scattered_rows(20, 3);
  for (const std::size_t i : {4U, 5U, 6U}) draw_more(rows[0][i], 0.15);
  take_out_strays(rows);
  EXPECT_GE(rows[0].size(), 6U);
}

TEST(Strays, AreNotLookedForInFewPoints) {
  auto rows = scattered_rows(2, 4);
  draw_more(rows[0][4], 0.2);
  take_out_strays(rows);
  EXPECT_EQ(rows[0].size(), 8U);
}

}  // namespace
}  // namespace truewatt::instructions
