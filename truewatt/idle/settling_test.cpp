#include "truewatt/idle/settling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace truewatt::idle {
namespace {

TEST(Settling, CountsThePowersBeforeTheLastOneOutside) {
  std::vector<double> power(30, 70.0);
  EXPECT_EQ(settled_after(power), 0U);
  for (std::size_t i = 0; i < 8; ++i) power[i] = 120.0;
  EXPECT_EQ(settled_after(power), 8U);
  power[12] = 75.0;  // once more, later
  EXPECT_EQ(settled_after(power), 13U);
}

TEST(Settling, WithinHalfAWattOrAHundredthIsSettled) {
  std::vector<double> power(30, 20.0);
  power[5] = 20.4;
  EXPECT_EQ(settled_after(power), 0U);
  power[5] = 20.6;
  EXPECT_EQ(settled_after(power), 6U);
  std::vector<double> high(30, 200.0);
  high[5] = 201.9;
  EXPECT_EQ(settled_after(high), 0U);
}

TEST(Settling, SaysNothingWhereThePowerStillMoves) {
  std::vector<double> falling;
  for (int i = 0; i < 30; ++i) falling.push_back(120.0 - i);  // the last third falls by 5 W
  EXPECT_EQ(settled_after(falling), std::nullopt);
  std::vector<double> steps(30, 70.0);
  for (std::size_t i = 0; i < 24; ++i) steps[i] = 90.0;  // a step in the last third
  EXPECT_EQ(settled_after(steps), std::nullopt);
}

TEST(Settling, NeedsNinePowers) {
  EXPECT_EQ(settled_after(std::vector<double>(8, 70.0)), std::nullopt);
  EXPECT_EQ(settled_after(std::vector<double>(9, 70.0)), 0U);
}

TEST(Settling, AnExponentialSettlesWhereItIsWithinAHundredth) {
  // 100 W + 50 W exp(-i / 4) is within 1 W from i = 4 ln 50 = 15.6 on.
  std::vector<double> power;
  for (int i = 0; i < 60; ++i) power.push_back(100.0 + 50.0 * std::exp(-i / 4.0));
  EXPECT_EQ(settled_after(power), 16U);
}

}  // namespace
}  // namespace truewatt::idle
