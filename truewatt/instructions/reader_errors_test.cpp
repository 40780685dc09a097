#include "truewatt/instructions/reader_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::instructions {
namespace {

using energy::Reader;

HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

/// A stretch of one second from `begin` on, of which the estimate says `energy` J above idle.
Point point_of(double begin, double energy, double sma, double mtsm) {
  Point point;
  point.length = Seconds(1);
  point.energy_j = uncertainty::Budget(100 + energy);
  point.idle_j = uncertainty::Budget(100);
  point.readers_j = {{Reader::sma, sma}, {Reader::mtsm, mtsm}};
  point.span = {at(begin), at(begin + 1)};
  point.idle_span = {at(0), at(1)};
  return point;
}

Observations seen() {
  Observations seen;
  seen.rows.emplace_back();
  seen.rows.front().points = {point_of(1, 200, 180, 210)};
  seen.empty[kernels::Optimization::O3] = {point_of(2, 50, 55, 50)};
  return seen;
}

TEST(ReaderErrors, AreAgainstTheEstimateWithoutAMeter) {
  const auto errors = reader_errors(seen(), nullptr);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].reader, Reader::sma);
  EXPECT_EQ(errors[0].count, 2);
  EXPECT_NEAR(errors[0].mape, (0.1 + 0.1) / 2, 1e-12);
  EXPECT_NEAR(errors[0].rmse_j, std::sqrt((20.0 * 20 + 5 * 5) / 2), 1e-12);
  EXPECT_NEAR(errors[1].mape, (0.05 + 0) / 2, 1e-12);
  EXPECT_NEAR(errors[1].rmse_j, std::sqrt(10.0 * 10 / 2), 1e-12);
}

/// A meter that shows 90 W idle and 310 W, and ends within the second stretch.
TEST(ReaderErrors, AreAgainstTheMeterWhereItRead) {
  trace::MeterTrace meter;
  for (int i = 0; i <= 220; ++i) meter.samples.push_back({at(0.01 * i), i <= 100 ? 90.0 : 310.0});
  const auto errors = reader_errors(seen(), &meter);
  ASSERT_EQ(errors.size(), 2U);
  EXPECT_EQ(errors[0].count, 1);
  // The step lies between two readings: 1.1 J of the trapezoid are missing.
  const double metered = 310 - 0.005 * 220 - 90;
  EXPECT_NEAR(errors[0].mape, 1 - 180 / metered, 1e-9);
  EXPECT_NEAR(errors[1].rmse_j, metered - 210, 1e-9);
}

}  // namespace
}  // namespace truewatt::instructions
