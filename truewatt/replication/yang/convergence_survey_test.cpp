#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "truewatt/replication/yang/convergence.hpp"

namespace truewatt::replication {
namespace {

Convergence converged(const std::string& device, const ConvergenceOptions& options) {
  auto set = devices::open_devices({.selectors = {device}, .seed = 5}, {});
  EXPECT_TRUE(set);
  auto result = run_convergence(*set, {}, options);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  return result ? std::move(*result) : Convergence{};
}

const ConvergenceCurve& curve(const ConvergenceLoad& load, Telling telling, int delays) {
  return *std::find_if(load.curves.begin(), load.curves.end(), [&](const auto& one) {
    return one.telling == telling && one.delays == delays;
  });
}

// The shape of the paper's Fig. 17, its case of a load in step with a sensor that looks a quarter
// of the time.
TEST(Convergence, OfAPartTimeSensorNeedsShiftedPhases) {
  const Convergence result = converged("sim:a100", {.trials = 16, .full = false});
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_NEAR(result.cases.front().looks.count(), 0.026, 0.004);
  const ConvergenceLoad& locked = result.cases.front().loads.at(1);
  EXPECT_NEAR(locked.execution.count(), 0.1, 1e-4);
  const double none = curve(locked, Telling::corrected, 0).points.back().spread;
  const double eight = curve(locked, Telling::corrected, 8).points.back().spread;
  EXPECT_GT(none, 0.15);
  EXPECT_LT(eight, 0.06);
  // The board's gain (0.9585, -2.2 W of 121 W) does not spread: the mean is off by it.
  const ConvergencePoint& ours = locked.curves.back().points.back();
  EXPECT_LT(ours.spread, eight);
  EXPECT_NEAR(ours.mean, -0.0415 - 2.2 / 121, 3 * ours.spread / std::sqrt(result.trials) + 0.002);
  ASSERT_TRUE(locked.needed);
  EXPECT_LE(2 * *locked.needed, locked.practice_executions);
  // Eight executions of 0.8 s with eight delays; ours sees every edge at two phases after two.
  const ConvergenceLoad& longest = result.cases.front().loads.at(2);
  ASSERT_TRUE(longest.practice_within && longest.within);
  EXPECT_EQ(*longest.practice_within, 8);
  EXPECT_LE(4 * *longest.within, *longest.practice_within);
}

TEST(Convergence, OfAnAverageOverASecondNeedsItsBeginLeftOut) {
  const Convergence result = converged(
      "sim:rtx3090", {.trials = 8, .full = false, .sources = {SourceKind::power_average}});
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_EQ(result.cases.front().source.kind, SourceKind::power_average);
  const ConvergenceLoad& longest = result.cases.front().loads.at(2);
  const double raw = curve(longest, Telling::as_read, 0).points.back().mean;
  const double corrected = curve(longest, Telling::corrected, 0).points.back().mean;
  // The gain is -4.9 %; the ramp of a second in 13 is what is missing beyond.
  EXPECT_LT(raw, corrected - 0.005);
  EXPECT_NEAR(corrected, -0.049, 0.02);
}

TEST(Convergence, NeedsADeviceWhoseTruthIsKnown) {
  auto set = devices::open_devices({.selectors = {"sim:a100", "sim:h100"}}, {});
  ASSERT_TRUE(set);
  EXPECT_FALSE(run_convergence(*set, {}, {}));
}

}  // namespace
}  // namespace truewatt::replication
