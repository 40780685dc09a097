#include "truewatt/energy/former/idle.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace truewatt::energy {
namespace {

std::vector<Stretch> stretches(int count, double length,
                               const std::function<double(double)>& power) {
  std::vector<Stretch> result;
  for (int i = 0; i < count; ++i) {
    const double begin = i * length;
    result.push_back({begin, begin + length, power(begin + length)});
  }
  return result;
}

TEST(SteadyIdleAfter, TakesAllOfAConstantLevel) {
  std::mt19937 rng(1);
  std::normal_distribution<double> noise(0.0, 0.5);
  const auto idle =
      steady_idle_after(stretches(50, 0.02, [&](double) { return 100 + noise(rng); }), 0.001);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->first, 0U);
  EXPECT_EQ(idle->count, 50U);
  EXPECT_NEAR(idle->power_w.value, 100, 4 * 0.5 / std::sqrt(50.0));
  EXPECT_NEAR(idle->power_w.standard_uncertainty, 0.5 / std::sqrt(50.0), 0.02);
}

TEST(SteadyIdleAfter, ReadingsThatRepeatOneAnotherAreRoundedAlike) {
  const double rounding = 1 / std::sqrt(12.0);
  const auto level = stretches(50, 0.02, [](double) { return 58.0; });
  EXPECT_DOUBLE_EQ(steady_idle_after(level, rounding)->power_w.standard_uncertainty, rounding);
  // Here each rounds another noise away.
  std::mt19937 rng(1);
  std::normal_distribution<double> noise(0.0, 2.0);
  const auto noisy = stretches(50, 0.02, [&](double) { return std::round(58 + noise(rng)); });
  EXPECT_NEAR(steady_idle_after(noisy, rounding)->power_w.standard_uncertainty,
              2.0 / std::sqrt(50.0), 0.1);
}

TEST(SteadyIdleAfter, SkipsTheDecayOfALag) {
  const auto idle = steady_idle_after(
      stretches(50, 0.02, [](double t) { return 100 + 200 * std::exp(-t / 0.05); }), 0.1);
  ASSERT_TRUE(idle);
  // 200 W must have decayed to about 4 * 0.1 W: after 6 time constants, 0.3 s.
  EXPECT_GE(idle->first, 10U);
  EXPECT_NEAR(idle->power_w.value, 100, 0.5);
}

TEST(SteadyIdleAfter, StopsBeforeTheNextStepDown) {
  const auto idle =
      steady_idle_after(stretches(10, 0.1, [](double t) { return t < 0.65 ? 90.0 : 60.0; }), 0.01);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->first, 0U);
  EXPECT_NEAR(idle->power_w.value, 90, 1e-9);
}

TEST(SteadyIdleAfter, FindsNoneInARamp) {
  EXPECT_FALSE(steady_idle_after(stretches(10, 0.1, [](double t) { return 300 - 200 * t; }), 0.01));
}

TEST(SteadyIdleAfter, FindsNoneInTooLittle) {
  EXPECT_FALSE(steady_idle_after(stretches(2, 0.1, [](double) { return 100.0; }), 0.01));
}

TEST(SteadyIdleBefore, StaysAtTheEdge) {
  // From the edge outwards: steady at 90 W, further away still waking up from 20 W.
  const auto idle =
      steady_idle_before(stretches(10, 0.1, [](double t) { return t < 0.55 ? 90.0 : 20.0; }), 0.01);
  ASSERT_TRUE(idle);
  EXPECT_EQ(idle->first, 0U);
  EXPECT_NEAR(idle->power_w.value, 90, 1e-9);
}

TEST(SteadyIdleBefore, GivesATrendItsRangeAsUncertainty) {
  const auto idle =
      steady_idle_before(stretches(4, 0.1, [](double t) { return 90 - 100 * t; }), 0.01);
  ASSERT_TRUE(idle);
  EXPECT_NEAR(idle->power_w.value, 80, 1e-9);
  EXPECT_GE(idle->power_w.standard_uncertainty, 9.9);
}

}  // namespace
}  // namespace truewatt::energy
