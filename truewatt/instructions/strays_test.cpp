#include "truewatt/instructions/strays.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;
using uncertainty::Budget;

/// Rows of eight loops of a microsecond and 0.1 for each copy, whose times scatter by 0.1 % and
/// energies by 2 %.
std::vector<std::vector<Point>> scattered_rows(std::size_t count, unsigned seed) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  std::vector<std::vector<Point>> rows(count);
  for (auto& points : rows) {
    for (unsigned copies = 16; copies <= 128; copies += 16) {
      Point point;
      point.of.copies = copies;
      point.length = Seconds(0.15);
      point.iterations = 0.15 / ((1.0 + 0.1 * copies) * 1e-6 * (1 + 0.001 * normal(rng)));
      point.idle_j = Budget(20.0);
      point.energy_j =
          Budget(20.0 + 1e-9 * point.iterations * (20.0 + 2.0 * copies) * (1 + 0.02 * normal(rng)));
      points.push_back(point);
    }
  }
  return rows;
}

std::size_t points_in(const std::vector<std::vector<Point>>& rows) {
  std::size_t points = 0;
  for (const auto& row : rows) points += row.size();
  return points;
}

TEST(Strays, AreStretchesThatRanFaster) {
  auto rows = scattered_rows(20, 1);
  for (const auto& [row, point] : {std::pair{3, 5}, {7, 2}, {7, 5}, {12, 0}}) {
    rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(point)].iterations *= 1.02;
  }
  take_out_strays(rows);
  EXPECT_EQ(points_in(rows), 156U);
  EXPECT_EQ(rows[7].size(), 6U);
  for (const Point& point : rows[7]) EXPECT_TRUE(point.of.copies != 48 && point.of.copies != 96);
}

// What draws more in the same time is scatter, however much; of times that scatter a few in a
// thousand go.
TEST(Strays, AreNotToldByTheirEnergy) {
  auto rows = scattered_rows(200, 2);
  rows[0][5].energy_j = Budget(2 * rows[0][5].energy_j.value());
  take_out_strays(rows);
  EXPECT_EQ(rows[0].size(), 8U);
  EXPECT_GE(points_in(rows), 1590U);
}

TEST(Strays, AreAQuarterOfARowAtMost) {
  auto rows = scattered_rows(1, 3);
  for (const std::size_t i : {4U, 5U, 6U}) rows[0][i].iterations *= 1.02;
  take_out_strays(rows);
  EXPECT_GE(rows[0].size(), 6U);
}

TEST(Strays, AreNotLookedForInFewPoints) {
  auto rows = scattered_rows(1, 4);
  rows[0].resize(5);
  rows[0][4].iterations *= 1.02;
  take_out_strays(rows);
  EXPECT_EQ(rows[0].size(), 5U);
}

}  // namespace
}  // namespace truewatt::instructions
