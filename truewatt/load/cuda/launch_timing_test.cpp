#include "truewatt/load/cuda/launch_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace truewatt::load::cuda {
namespace {

using testing::HasSubstr;

constexpr double kOverhead = 50e-6;
constexpr double kPerPass = 130e-9;

std::vector<TimedLaunch> launches_on_a_line(double relative_ripple = 0.0) {
  std::vector<TimedLaunch> launches;
  double sign = 1.0;
  for (const double target : {0.003, 0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2}) {
    const auto passes = static_cast<std::uint32_t>(target / kPerPass);
    const double time = kOverhead + passes * kPerPass;
    launches.push_back({passes, Seconds(time * (1.0 + sign * relative_ripple))});
    sign = -sign;
  }
  return launches;
}

TEST(LaunchTiming, RecoversTheLineExactly) {
  const auto timing = fit_launch_timing(launches_on_a_line());
  ASSERT_TRUE(timing) << timing.error().message;
  // Double rounding in sums of nine terms: 1e-12 is generous.
  EXPECT_NEAR(timing->per_pass.count(), kPerPass, 1e-12 * kPerPass);
  EXPECT_NEAR(timing->overhead.count(), kOverhead, 1e-9 * kOverhead);
  EXPECT_NEAR(timing->r_squared, 1.0, 1e-12);
}

/// Every point off by 0.1 % of itself: a line that weighs relative errors is off by at most that at
/// any length but for the pull of the overhead, three times that at the short end.
TEST(LaunchTiming, MeetsShortAndLongLaunchesAlike) {
  const auto timing = fit_launch_timing(launches_on_a_line(1e-3));
  ASSERT_TRUE(timing) << timing.error().message;
  for (const TimedLaunch& launch : launches_on_a_line()) {
    const Seconds predicted = timing->overhead + launch.passes * timing->per_pass;
    EXPECT_NEAR(predicted / launch.time, 1.0, 3e-3);
  }
}

TEST(LaunchTiming, DropsLaunchesOfTwoMillisecondsAndLess) {
  auto launches = launches_on_a_line();
  launches.push_back({1000, Seconds(0.0019)});  // far off the line: the clock had not risen yet
  const auto timing = fit_launch_timing(launches);
  ASSERT_TRUE(timing) << timing.error().message;
  EXPECT_NEAR(timing->r_squared, 1.0, 1e-12);
}

TEST(LaunchTiming, NeedsThreeLaunches) {
  const std::vector<TimedLaunch> two = {{100, Seconds(0.01)}, {200, Seconds(0.02)}};
  const auto timing = fit_launch_timing(two);
  ASSERT_FALSE(timing);
  EXPECT_EQ(timing.error().code, Errc::insufficient_data);
  EXPECT_THAT(timing.error().message, HasSubstr("2 of 2"));
}

TEST(LaunchTiming, RefusesTimesThatDoNotFollowTheLength) {
  const std::vector<TimedLaunch> shared_gpu = {
      {100, Seconds(0.010)}, {200, Seconds(0.050)}, {300, Seconds(0.030)}, {400, Seconds(0.041)}};
  const std::vector<TimedLaunch> falling = {
      {300, Seconds(0.010)}, {200, Seconds(0.020)}, {100, Seconds(0.030)}};
  const std::vector<TimedLaunch> one_length = {
      {300, Seconds(0.010)}, {300, Seconds(0.010)}, {300, Seconds(0.010)}};
  for (const auto& launches : {shared_gpu, falling, one_length}) {
    const auto timing = fit_launch_timing(launches);
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().code, Errc::ill_conditioned);
    EXPECT_THAT(timing.error().message, HasSubstr("end other programs"));
  }
}

TEST(LaunchTiming, GivesAtLeastOnePassAndNeverOverflows) {
  const LaunchTiming timing{Seconds(kOverhead), Seconds(kPerPass), 1.0};
  EXPECT_EQ(timing.passes_for(Seconds(0.013)), 100'000U);
  EXPECT_EQ(timing.passes_for(Seconds(0)), 1U);
  EXPECT_EQ(timing.passes_for(Seconds(1e6)), 4294967295U);
}

}  // namespace
}  // namespace truewatt::load::cuda
