#include "truewatt/trace/formats/meters/meter_csv.hpp"

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

constexpr const char* kRailsHeader = "t_s,vs1_v,vg1_v,vs2_v,vg2_v,rs_ohm,i_clamp_a,v_dps_v\n";

TEST(MeterCsv, ThreeRailsAreEquation3OfPaper002) {
  // 2 A at 3.3 V, 4 A at 12 V, and 10 A at 12.1 V.
  const auto meter = parse_meter_csv(std::string(kRailsHeader) +
                                     "0,3.32,3.3,12.04,12,0.01,10,12.1\n"
                                     "1,3.30,3.3,12.00,12,0.01,-1,12.1\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->meter, "CSV of three rails");
  EXPECT_NEAR(meter->samples[0].power_w, 2 * 3.3 + 4 * 12 + 121, 1e-9);
  EXPECT_NEAR(meter->samples[1].power_w, -12.1, 1e-9);
}

TEST(MeterCsv, RailsThatGiveNoPowerAreBadRows) {
  const auto meter = parse_meter_csv(std::string(kRailsHeader) +
                                     "0,3.3,3.3,12,12,0.01,1,12\n1,3.4,3.3,12,12,0,1,12\n"
                                     "2,x,3.3,12,12,0.01,1,12\n3,3.3,3.3,12,12,0.01,1,12\n");
  ASSERT_TRUE(meter);
  EXPECT_EQ(meter->samples.size(), 2U);
  EXPECT_EQ(meter->warnings.front(), "line 3: the rails give no power");
  EXPECT_EQ(meter->warnings.back(), "line 4: vs1_v is 'x'");
}

TEST(MeterCsv, NeedsItsHeaderAndTwoReadings) {
  EXPECT_EQ(parse_meter_csv("0,50\n1,51\n").error().code, Errc::parse);
  EXPECT_EQ(parse_meter_csv("t,w\n0,50\n").error().code, Errc::parse);
  EXPECT_EQ(parse_meter_csv("").error().code, Errc::insufficient_data);
  EXPECT_EQ(parse_meter_csv("t_s,w\n0,50\n").error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::trace
