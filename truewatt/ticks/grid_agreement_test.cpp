#include "truewatt/ticks/grid_agreement.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/ticks/update_period.hpp"

namespace truewatt::ticks {
namespace {

constexpr double kPeriod = 0.099993;
constexpr double kPhase = 0.0371;

/// Ticks seen by polls that take `slow` seconds at random phases.
std::vector<Tick> seen(double slow, double jitter, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::normal_distribution<double> stray(0.0, jitter);
  std::vector<Tick> ticks;
  for (int i = 0; i < 600; ++i) {
    const double tick = kPhase + i * kPeriod + (jitter > 0 ? stray(rng) : 0.0);
    const double width = slow * (i % 3 == 0 ? 2.5 : 1.0);
    const double begin = tick - unit(rng) * width;
    ticks.push_back({begin + width / 2, width / std::sqrt(12.0), i * 1.0});
  }
  return ticks;
}

TEST(CommonShift, OfPollsAtRandomPhasesIsSmallAndHoldsTheTicks) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const auto ticks = seen(0.008, 0.0, seed);
    const auto shift = common_shift(ticks, {0.1, 0.099995, 0.100005, 0.95});
    ASSERT_TRUE(shift) << seed;
    EXPECT_LT(shift->upper - shift->lower, 0.8e-3);
    const double later = kPhase + 300 * kPeriod - on_grid(ticks, kPeriod)[300].time;
    EXPECT_LE(shift->lower, later);
    EXPECT_GE(shift->upper, later);
  }
}

// Of every tick the poll before it began 6 ms early and the one that saw it ended 2 ms late.
TEST(CommonShift, OfPollsThatWaitForTheTickIsHalfOfWhatTheyTake) {
  std::vector<Tick> ticks;
  for (int i = 0; i < 600; ++i) {
    const double begin = kPhase + i * kPeriod - 0.006;
    ticks.push_back({begin + 0.004, 0.008 / std::sqrt(12.0), i * 1.0});
  }
  const auto shift = common_shift(ticks, {0.1, 0.099995, 0.100005, 0.95});
  ASSERT_TRUE(shift);
  EXPECT_NEAR(shift->lower, -0.004, 0.5e-3);
  EXPECT_NEAR(shift->upper, 0.004, 0.5e-3);
}

// Every bracket holds its tick near its end: the middles are early by 3 ms.
TEST(CommonShift, HasASide) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> late(0.0, 0.001);
  std::vector<Tick> ticks;
  for (int i = 0; i < 600; ++i) {
    const double end = kPhase + i * kPeriod + late(rng);
    ticks.push_back({end - 0.0035, 0.007 / std::sqrt(12.0), i * 1.0});
  }
  const auto shift = common_shift(ticks, {0.1, 0.099995, 0.100005, 0.95});
  ASSERT_TRUE(shift);
  EXPECT_LE(shift->lower, 0.003);
  EXPECT_NEAR(shift->upper, 0.003, 0.2e-3);
}

TEST(CommonShift, IsNotThereWhereTicksWander) {
  EXPECT_FALSE(common_shift(seen(0.002, 0.003, 1), {0.1, 0.0999, 0.1001, 0.95}));
}

TEST(CommonShift, NeedsTicks) {
  const auto few = seen(0.008, 0.0, 1);
  EXPECT_FALSE(common_shift(std::span(few).first(20), {0.1, 0.0999, 0.1001, 0.95}));
  EXPECT_FALSE(common_shift({}, {0.1, 0.0999, 0.1001, 0.95}));
}

}  // namespace
}  // namespace truewatt::ticks
