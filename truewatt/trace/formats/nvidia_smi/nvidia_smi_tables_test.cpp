// The same table as others write it: columns, units, separators, encodings.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "truewatt/testing/smi_log.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(NvidiaSmiTables, ColumnsComeInAnyOrderWithOrWithoutUnits) {
  const auto log = parsed_log(
      "power.draw.instant, pstate, memory.used [MiB], utilization.gpu [%], timestamp, "
      "clocks.mem [MHz], clocks.sm, temperature.gpu, clocks_event_reasons.active, "
      "module.power.draw.instant [W]\n"
      "51.5, P2, 10 MiB, 97 %, 2023/07/14 10:10:26.000, 1593 MHz, 1410, 37, "
      "0x0000000000000004, 300.25 W\n");
  const Recording& recording = log.recordings.at(0);
  EXPECT_THAT(watts(recording, kInstantColumn), ElementsAre(51.5));
  EXPECT_THAT(watts(recording, {SourceKind::power_instant, Scope::module}), ElementsAre(300.25));
  ASSERT_EQ(recording.health.size(), 1U);
  const HealthSample& health = recording.health[0];
  EXPECT_EQ(health.time, at_ms_of_log(0));
  EXPECT_EQ(health.p_state, 2);
  EXPECT_EQ(health.memory_used_bytes, 10U * 1024 * 1024);
  EXPECT_EQ(health.utilization_percent, 97.0);
  EXPECT_EQ(health.memory_clock_mhz, 1593.0);
  EXPECT_EQ(health.sm_clock_mhz, 1410.0);
  EXPECT_EQ(health.temperature_c, 37.0);
  EXPECT_EQ(health.clocks_event_reasons, 4U);
}

TEST(NvidiaSmiTables, ColumnAGpuIsARecordingEach) {
  const auto log = parsed_log(
      "timestamp,GPU0,gpu1_power_mw\n"
      "1689329426.000,50.5,70000\n"
      "1689329426.100,51.5,71000\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.5, 51.5));
  EXPECT_THAT(watts(log.recordings[1], kUsageColumn), ElementsAre(70.0, 71.0));
  EXPECT_EQ(log.recordings[1].device.index, 1);
  EXPECT_EQ(log.recordings[1].traces[0].end, at_ms_of_log(100));
  EXPECT_EQ(log.utc_offset, std::chrono::minutes(0));
  EXPECT_EQ(log.rows, 2U);
}

TEST(NvidiaSmiTables, TablesOfSpreadsheetsAreTheSameLog) {
  for (const char* text : {
           "\"timestamp\",\"power.draw [W]\"\n\"2023/07/14 10:10:26.000\",\"50.25 W\"\n",
           "timestamp;power.draw [W]\r\n2023/07/14 10:10:26,000;50,25 W\r\n",
           "timestamp\tpower.draw [W]\n2023/07/14 10:10:26.000\t50.25 W\n",
           "\"Timestamp\";\"Power.Draw [W]\"\n\"2023/07/14 10:10:26,000\";\"50,25 W\"\n",
           "timestamp,power.draw [mW]\n2023-07-14T12:10:26,000000000+02:00,50250\n",
           "timestamp_ms,power_w\n1689329426000,50.25\n",
       }) {
    const auto log = parsed_log(text);
    ASSERT_EQ(log.recordings.size(), 1U) << text;
    EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.25)) << text;
    EXPECT_EQ(log.recordings[0].traces[0].begin, at_ms_of_log(0)) << text;
    EXPECT_EQ(log.bad_rows, 0U) << text;
  }
}

TEST(NvidiaSmiTables, DateAndTimeMayBeTwoColumnsAndAGpuANumberOrAName) {
  const auto log = parsed_log(
      "date,time,gpu,power\n"
      "2023-07-14,10:10:26.000,1,50.5\n"
      "2023-07-14,10:10:26.000,NVIDIA A100,60.5\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.index, 1);
  EXPECT_EQ(log.recordings[0].traces[0].begin, at_ms_of_log(0));
  EXPECT_EQ(log.recordings[1].device.name, "NVIDIA A100");
}

TEST(NvidiaSmiTables, SecondsSinceTheStartAreTimes) {
  const auto log = parsed_log("time_s,gpu0_w\n0.0,50\n0.1,51\n");
  const Trace& trace = log.recordings.at(0).traces.at(0);
  EXPECT_EQ(trace.end - trace.begin, milliseconds(100));
  EXPECT_FALSE(log.utc_offset);
}

TEST(NvidiaSmiTables, ColumnsOfOtherThingsAreNoPower) {
  for (const char* title : {"cpu_power", "gpu0_util", "power_limit", "GPU0 temperature", "total"}) {
    const auto log = parse_nvidia_smi_log(std::string("timestamp,") + title + "\n1689329426,50\n");
    ASSERT_FALSE(log) << title;
    EXPECT_THAT(log.error().message, HasSubstr(title));
  }
}

TEST(NvidiaSmiTables, WindowsLineEndsTrailingCommasAndByteOrderMark) {
  const auto log = parsed_log(
      "\xEF\xBB\xBFtimestamp, power.draw [W],\r\n"
      "2023/07/14 10:10:26.000, 50.00,\r\n"
      "2023/07/14 10:10:26.100, 51.00,\r\n");
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiTables, Utf16AsPowerShellWritesIt) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("timestamp, power.draw [W]\n2023/07/14 10:10:26.000, 50.00\n")) {
    wide += {c, '\0'};
  }
  EXPECT_THAT(watts(parsed_log(wide).recordings.at(0), kUsageColumn), ElementsAre(50.0));
}

}  // namespace
}  // namespace truewatt::trace
