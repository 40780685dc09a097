#include "truewatt/base/format.hpp"

#include <gtest/gtest.h>

namespace truewatt {
namespace {

TEST(Format, IntervalShowsTwoDigitsOfItsHalfWidth) {
  EXPECT_EQ(format_interval({143.8312, 143.6612, 144.0012, 0.95}, "J"),
            "143.83 J ± 0.17 J (0.12 %)");
  EXPECT_EQ(format_interval({1000.0, 950.0, 1050.0, 0.95}, "J"), "1000 J ± 50 J (5.0 %)");
}

TEST(Format, AsymmetricIntervalShowsItsBounds) {
  EXPECT_EQ(format_interval({10.0, 9.0, 14.0, 0.95}, "J"), "10.0 J [9.0, 14.0]");
}

TEST(Format, WhatRoundsToNothingHasNoSign) {
  EXPECT_EQ(format_interval({-0.04, -9.94, 9.86, 0.95}, "J"), "0.0 J ± 9.9 J");
  EXPECT_EQ(fixed(-0.04, 1), "0.0");
  EXPECT_EQ(fixed(-0.06, 1), "-0.1");
}

TEST(Format, ValueAndHalfWidthHaveTheSameDecimals) {
  EXPECT_EQ(format_plus_minus({12.9714, 12.8954, 13.0474, 0.95}, 3), "12.971 ± 0.076");
  EXPECT_EQ(format_plus_minus({998.91, 997.11, 1000.71, 0.95}, 3), "998.9 ± 1.8");
  EXPECT_EQ(format_plus_minus({3.2, -9.8, 16.2, 0.95}, 3), "3 ± 13");
}

TEST(Format, WhatIsBelowTheLastDecimalIsRoundedUp) {
  EXPECT_EQ(format_plus_minus({20.0, 19.999985, 20.000015, 0.95}, 3), "20.000 ± 0.001");
  EXPECT_EQ(format_plus_minus({100.0, 99.9989, 100.0011, 0.95}, 3), "100.000 ± 0.002");
}

TEST(Format, SiPrefixes) {
  EXPECT_EQ(format_si(0.00235, "J", 3), "2.35 mJ");
  EXPECT_EQ(format_si(1.0e-12, "J", 3), "1.00 pJ");
  EXPECT_EQ(format_si(1234.0, "J", 4), "1.234 kJ");
  EXPECT_EQ(format_si(0.0, "J"), "0 J");
}

TEST(Format, UtcIsRfc3339) {
  EXPECT_EQ(format_utc(DriverTime(std::chrono::milliseconds(1'689'325'827'417))),
            "2023-07-14T09:10:27.417Z");
  for (const std::int64_t ms :
       {std::int64_t{0}, std::int64_t{1'689'325'827'417}, std::int64_t{-1}}) {
    const DriverTime time{std::chrono::milliseconds(ms)};
    EXPECT_EQ(parse_utc(format_utc(time)), time);
  }
  for (const char* wrong : {"", "2026", "2026-11-21T02:57:37Z", "2026-13-21T02:57:37.123Z",
                            "9999-01-01T00:00:00.000Z", "2026-11-21T02:57:37.123Z "}) {
    EXPECT_FALSE(parse_utc(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace truewatt
