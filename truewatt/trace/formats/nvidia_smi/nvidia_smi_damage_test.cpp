// Rows that are garbled or cut off.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "truewatt/testing/smi_log.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(NvidiaSmiDamage, GarbledGpuNameMakesNoGpu) {
  const auto log = parsed_log(
      "timestamp, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, GPU-aa, 50.00\n"
      "2023/07/14 10:10:26.100, G#U-aa, 51.00\n");
  EXPECT_EQ(log.recordings.size(), 1U);
  EXPECT_EQ(log.bad_rows, 1U);
  EXPECT_THAT(log.warnings, ElementsAre("line 3: uuid is 'G#U-aa'"));
}

TEST(NvidiaSmiDamage, RowWhosePowerIsGarbledIsGoodForItsOtherCells) {
  const auto log = parsed_log(
      "timestamp, pstate, power.draw [W], power.draw.instant [W]\n"
      "2023/07/14 10:10:26.000, P0, 50.00, 55.00\n"
      "2023/07/14 10:10:26.100, P8, 5#.00, 56.00\n"
      "2023/07/14 10:10:26.200, P8, nan, 57.00\n"
      "2023/07/14 10:10:26.300, P8, 52.00, 58.00\n");
  const Recording& recording = log.recordings.at(0);
  EXPECT_THAT(watts(recording, kUsageColumn), ElementsAre(50.0, 52.0));
  EXPECT_THAT(watts(recording, kInstantColumn), ElementsAre(55.0, 56.0, 57.0, 58.0));
  EXPECT_EQ(recording.health.at(1).p_state, 8);
  EXPECT_EQ(log.rows, 2U);
  EXPECT_EQ(log.bad_rows, 2U);
  EXPECT_THAT(log.warnings,
              ElementsAre("line 3: power.draw is '5#.00'", "line 4: power.draw is 'nan'"));
  const Trace& usage = *find_trace(recording, kUsageColumn);
  ASSERT_EQ(usage.gaps.size(), 1U);
  EXPECT_EQ(usage.gaps[0].begin, at_ms_of_log(0));
  EXPECT_EQ(usage.gaps[0].end, at_ms_of_log(300));
}

TEST(NvidiaSmiDamage, BadRowsBetweenGoodOnesCostNothing) {
  const auto log = parsed_log(
      "timestamp, pstate, power.draw [W]\n"
      "2023/07/14 10:10:26.000, P0, 50.00\n"
      "2023/13/14 10:10:26.050, P0, 99.00\n"
      "garbage\n"
      ",,\n"
      "2023/07/14 10:10:26.060, P0, 51.00, 52.00\n"
      "2023/07/14 10:10:26.100, P0, 51.00\n");
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_EQ(log.rows, 2U);
  EXPECT_EQ(log.bad_rows, 4U);
  EXPECT_THAT(log.warnings.at(0), HasSubstr("line 3: timestamp is '2023/13/14"));
  EXPECT_THAT(log.warnings.at(3), HasSubstr("4 cells under 3 columns"));
}

TEST(NvidiaSmiDamage, LastLineThatWasCutInsideANumberDoesNotGiveTheNumber) {
  const std::string whole =
      "timestamp, pstate, power.draw [W]\n"
      "2023/07/14 10:10:26.000, P0, 160.50 W\n";
  for (const char* cut : {"2023/07/14 10:10:26.100, P0, 161.5", "2023/07/14 10:10:26.100, P0, 16",
                          "2023/07/14 10:10:26.100, P0", "2023/07/14 10:1"}) {
    const auto log = parsed_log(whole + cut);
    EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(160.5)) << cut;
    EXPECT_EQ(log.rows, 1U) << cut;
    EXPECT_EQ(log.bad_rows, 1U) << cut;
  }
}

TEST(NvidiaSmiDamage, WholeLastLineNeedsNoLineFeed) {
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 160.50 W\n"
      "2023/07/14 10:10:26.100, 61.25 W");
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(160.5, 61.25));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiDamage, LinesBeforeTheHeaderAreCountedAsBad) {
  const auto log = parsed_log(
      "$ nvidia-smi --format=csv\n"
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00\n");
  EXPECT_EQ(log.rows, 1U);
  EXPECT_EQ(log.bad_rows, 1U);
}

TEST(NvidiaSmiDamage, NulBytesOfACrashCostOnlyWhatTheyCover) {
  using namespace std::string_view_literals;
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00\n"
      "\0\0\0\0\n"
      "\0\0\0\0\0\0002023/07/14 10:10:26.100, 51.00\n"
      "2023/07/14 10:10:26.200, 5\0\0000\n"
      "2023/07/14 10:10:26.300, 53.00\n"sv);
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(50.0, 51.0, 53.0));
  EXPECT_EQ(log.rows, 3U);
  EXPECT_EQ(log.bad_rows, 2U);
}

}  // namespace
}  // namespace truewatt::trace
