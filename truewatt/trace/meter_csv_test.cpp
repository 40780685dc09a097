#include "truewatt/trace/meter_csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

TEST(MeterCsv, RelativeReadingsKeepTheirSign) {
  const auto meter = parse_meter_csv("t_s,w\n0,50.5\n0.001,-0.25\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->axis, MeterAxis::recording);
  ASSERT_EQ(meter->samples.size(), 2U);
  EXPECT_EQ(meter->samples[1].time, HostTime(std::chrono::milliseconds(1)));
  EXPECT_EQ(meter->samples[1].power_w, -0.25);
  EXPECT_TRUE(meter->rails.empty());
  EXPECT_EQ(meter->rows, 2U);
}

TEST(MeterCsv, EpochReadingsKeepTheirMicroseconds) {
  const auto meter = parse_meter_csv("t_s,w\n1689325828.417687,50\n1689325828.417887,51\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->axis, MeterAxis::utc);
  EXPECT_EQ(count_ns(meter->samples[0].time), 1'689'325'828'417'687'000);
}

TEST(MeterCsv, ColumnsMayBeSwappedAndBesideOthers) {
  const auto meter = parse_meter_csv("v, w, t_s\r\n12.1, 50, 0\r\n12.1, 51, 1\r\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples[1].power_w, 51.0);
}

TEST(MeterCsv, BadRowsAreCountedAndCostNoOther) {
  const auto meter = parse_meter_csv(
      "t_s,w\n0,50\n1,nan\n2\nx,50\n1,51\n1,52\n0.5,53\n1689325828,54\n3,1e7\n2,55\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->rows, 3U);
  EXPECT_EQ(meter->bad_rows, 7U);
  EXPECT_THAT(meter->samples, testing::SizeIs(3));
  EXPECT_EQ(meter->samples.back().power_w, 55.0);
  EXPECT_EQ(meter->warnings.front(), "line 3: w is 'nan'");
}

TEST(MeterCsv, NeedsItsHeaderAndTwoReadings) {
  EXPECT_EQ(parse_meter_csv("0,50\n1,51\n").error().code, Errc::parse);
  EXPECT_EQ(parse_meter_csv("t,w\n0,50\n").error().code, Errc::parse);
  EXPECT_EQ(parse_meter_csv("").error().code, Errc::insufficient_data);
  EXPECT_EQ(parse_meter_csv("t_s,w\n0,50\n").error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::trace
