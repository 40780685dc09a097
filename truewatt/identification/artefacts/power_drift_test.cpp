#include "truewatt/identification/artefacts/power_drift.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/testing/drifting_board.hpp"

namespace truewatt::identification {
namespace {

TEST(PowerDrift, IsThatOfIdleAndOfWorkInClosedForm) {
  DriftingBoard example(10.0);
  example.add([&](double t, double unit) { return (t - example.middle()) * (0.3 - 0.5 * unit); });
  const auto drift = fit_drift(example.data(), example.fit);
  ASSERT_TRUE(drift);
  // Least squares of what is exactly in the model: nothing but rounding is left.
  EXPECT_NEAR(drift->idle_w_per_s.value, 0.3, 1e-6);
  EXPECT_NEAR(drift->work_w_per_s.value, -0.2, 1e-6);
  EXPECT_NEAR(drift->amplitude_w, DriftingBoard::kStep, 1e-6);
  EXPECT_DOUBLE_EQ(drift->length_s, example.readings.back().time - example.readings.front().time);
}

// 95 % of 200 within three standard deviations of the count, 4.6 %.
TEST(PowerDrift, KnowsHowWellItKnows) {
  int idle = 0;
  int work = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const DriftingBoard example(6.0, 1.0, seed);
    const auto drift = fit_drift(example.data(), example.fit);
    ASSERT_TRUE(drift);
    const auto holds = [](const Uncertain& x) {
      return std::abs(x.value) < kCoverageFactor95 * x.standard_uncertainty ? 1 : 0;
    };
    idle += holds(drift->idle_w_per_s);
    work += holds(drift->work_w_per_s);
  }
  EXPECT_GE(idle, 180);
  EXPECT_GE(work, 180);
}

TEST(PowerDrift, IsNotToldWithoutWorkAtDifferentTimes) {
  DriftingBoard example(10.0, 0.1);
  example.work.clear();
  EXPECT_FALSE(fit_drift(example.data(), example.fit));
  DriftingBoard few(10.0, 0.1);
  few.readings.resize(19);
  EXPECT_FALSE(fit_drift(few.data(), few.fit));
}

}  // namespace
}  // namespace truewatt::identification
