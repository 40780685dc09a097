#include "truewatt/identification/artefacts/rise_time.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::identification {
namespace {

JointFit fit_with(double window, double lag) {
  JointFit fit;
  fit.structure.lag = lag > 0;
  fit.parameters = {std::log(window), 0.003, std::log(lag > 0 ? lag : 1e-3), std::log(0.1),
                    std::log(0.1)};
  return fit;
}

TEST(RiseTime, OfABoxcarIsEightTenthsOfItsWindow) {
  const auto rise = rise_time(fit_with(1.0, 0.0));
  ASSERT_TRUE(rise);
  EXPECT_NEAR(rise->value, 0.8, 1e-5);
  EXPECT_DOUBLE_EQ(rise->lower, rise->value) << "everything known";
}

TEST(RiseTime, OfALagIsItsTimeConstantTimesLnNine) {
  const auto rise = rise_time(fit_with(0.2e-3, 0.052));
  ASSERT_TRUE(rise);
  EXPECT_NEAR(rise->value, 0.052 * std::log(9.0), 1e-4);
}

TEST(RiseTime, HasTheBoardsRiseInIt) {
  JointFit fit = fit_with(0.2e-3, 0.0);
  fit.structure.slow_rise = true;
  fit.rise_share = 1.0;
  EXPECT_NEAR(rise_time(fit)->value, 0.1 * std::log(9.0), 1e-3);
  fit.rise_share = 0.05;
  EXPECT_LT(rise_time(fit)->value, 1e-3) << "nine tenths are there at once";
}

TEST(RiseTime, AnOvershootIsThereBefore) {
  JointFit fit = fit_with(0.2e-3, 0.013);
  const double without = rise_time(fit)->value;
  fit.structure.overshoot = true;
  fit.overshoot_share = 0.7;
  EXPECT_LT(rise_time(fit)->value, 0.6 * without);
}

TEST(RiseTime, ItsIntervalIsThatOfTheParameters) {
  JointFit fit = fit_with(0.2e-3, 0.052);
  fit.covariance[kLogLag][kLogLag] = 0.01 * 0.01;
  const auto rise = rise_time(fit);
  ASSERT_TRUE(rise);
  EXPECT_NEAR((rise->upper - rise->value) / rise->value, 0.0196, 5e-4);
}

}  // namespace
}  // namespace truewatt::identification
