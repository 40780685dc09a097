#include "truewatt/energy/observe/reading_scatter.hpp"

#include <gtest/gtest.h>

#include <random>

namespace truewatt::energy {
namespace {

/// Readings that scatter by 2 W, of which those from `first_busy` to `last_busy` are of work too.
std::vector<ObservedReading> readings(int count, int first_busy, int last_busy) {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> work(0.0, 400.0);
  std::vector<ObservedReading> all;
  for (int i = 0; i < count; ++i) {
    const bool is_busy = i >= first_busy && i < last_busy;
    all.push_back({.time = 0.1 * i, .value = 80 + 2 * normal(rng) + (is_busy ? work(rng) : 0.0)});
  }
  return all;
}

// A quarter of 1000 bends lies at its place to 10 %.
TEST(ReadingScatter, IsThatOfReadingsAtSteadyPower) {
  EXPECT_NEAR(scatter_of(readings(1000, 0, 0)), 2.0, 0.2);
  EXPECT_EQ(scatter_at_rest(readings(1000, 0, 0)), scatter_of(readings(1000, 0, 0)));
}

// Of 600 readings 20 are at idle. One in a hundred of their stretches' medians is between what it
// is of such readings alone and the middle of these, 0.68 of 0.157: 4.3 times too much at most,
// where the quarter of all bends would say some 40 W.
TEST(ReadingScatter, OfAProgramThatIsHardlyEverAtRestIsThatOfItsRest) {
  const double scatter = scatter_at_rest(readings(600, 10, 590));
  EXPECT_GE(scatter_of(readings(600, 10, 590)), 20.0);
  EXPECT_GE(scatter, 1.0);
  EXPECT_LE(scatter, 4.3 * 2.0);
}

TEST(ReadingScatter, OfTwoReadingsIsNotKnown) { EXPECT_EQ(scatter_of(readings(2, 0, 0)), 0.0); }

}  // namespace
}  // namespace truewatt::energy
