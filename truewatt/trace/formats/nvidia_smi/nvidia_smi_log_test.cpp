#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "truewatt/testing/smi_log.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(NvidiaSmiLog, HeldValuesBecomeSamplesWithBrackets) {
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00 W\n"
      "2023/07/14 10:10:26.007, 50.00 W\n"
      "2023/07/14 10:10:26.014, 60.00 W\n"
      "2023/07/14 10:10:26.021, 60.00 W\n");
  ASSERT_EQ(log.recordings.size(), 1U);
  const Trace* trace = find_trace(log.recordings[0], kUsageColumn);
  ASSERT_NE(trace, nullptr);
  ASSERT_EQ(trace->samples.size(), 2U);
  EXPECT_EQ(trace->samples[1].before, at_ms_of_log(7));
  EXPECT_EQ(trace->samples[1].seen, at_ms_of_log(14));
  EXPECT_EQ(trace->samples[1].stamp, DriverTime(at_ms_of_log(14).time_since_epoch()));
  EXPECT_EQ(trace->samples[1].value, 60.0);
  EXPECT_EQ(trace->begin, at_ms_of_log(0));
  EXPECT_EQ(trace->end, at_ms_of_log(21));
  EXPECT_EQ(trace->polls, 4U);
  EXPECT_EQ(log.rows, 4U);
  EXPECT_EQ(log.bad_rows, 0U);
}

// A limit may be raised while the log runs, and a log may have several.
TEST(NvidiaSmiLog, PowerLimitIsTheHighestThatItHas) {
  const auto log = parsed_log(
      "timestamp, power.draw [W], power.limit [W], enforced.power.limit [W]\n"
      "2023/07/14 10:10:26.000, 50.00 W, 200.00 W, 200.00 W\n"
      "2023/07/14 10:10:26.007, 55.00 W, 300.00 W, 275.00 W\n"
      "2023/07/14 10:10:26.014, 60.00 W, [N/A], 200.00 W\n");
  ASSERT_EQ(log.recordings.size(), 1U);
  EXPECT_EQ(log.recordings[0].device.power_limit, Watts(300.0));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiLog, UtcOffsetIsTakenOffLocalTime) {
  auto log = parsed_log("timestamp, power.draw [W]\n2023/07/14 15:40:26.000, 50.00\n");
  EXPECT_FALSE(log.utc_offset);
  move_to_utc(log, std::chrono::minutes(330));
  const Recording& recording = log.recordings.at(0);
  EXPECT_EQ(recording.traces[0].begin, at_ms_of_log(0));
  EXPECT_EQ(recording.traces[0].samples[0].stamp, DriverTime(at_ms_of_log(0).time_since_epoch()));
  ASSERT_EQ(recording.clock_pairs.size(), 1U);
  EXPECT_EQ(count_ns(recording.clock_pairs[0].driver), count_ns(at_ms_of_log(0)));
}

TEST(NvidiaSmiLog, OtherTextIsNoLog) {
  for (const char* text : {"", "\n\n", "hello\nworld\n", "power.draw [W]\n50.00 W\n"}) {
    const auto log = parse_nvidia_smi_log(text);
    ASSERT_FALSE(log) << text;
    EXPECT_EQ(log.error().code, Errc::parse) << text;
  }
}

TEST(NvidiaSmiLog, LogWithoutPowerColumnSaysWhichToRecord) {
  const auto log = parse_nvidia_smi_log("timestamp, pstate\n2023/07/14 10:10:26.000, P0\n");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::parse);
  EXPECT_THAT(log.error().message, HasSubstr("power.draw"));
}

TEST(NvidiaSmiLog, LogWithoutAnyPowerReadingIsInsufficient) {
  const auto log = parse_nvidia_smi_log(
      "timestamp, pstate, power.draw [W]\n2023/07/14 10:10:26.000, P0, [N/A]\n");
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::insufficient_data);
}

TEST(NvidiaSmiLog, RefusedCellsAreAbsentAndTheRowIsGood) {
  const auto log = parsed_log(
      "timestamp, power.draw [W], power.draw.instant [W], clocks.sm [MHz]\n"
      "2023/07/14 10:10:26.000, [N/A], 50.00, [Unknown Error]\n"
      "2023/07/14 10:10:26.100, [Not Supported], 51.00, \n");
  const Recording& recording = log.recordings.at(0);
  EXPECT_EQ(find_trace(recording, kUsageColumn), nullptr);
  EXPECT_THAT(watts(recording, kInstantColumn), ElementsAre(50.0, 51.0));
  EXPECT_TRUE(recording.health.empty());
  EXPECT_EQ(log.rows, 2U);
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiLog, ClockSetBackKeepsItsRowsInOrderAndIsReported) {
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00\n"
      "2023/07/14 10:10:26.100, 51.00\n"
      "2023/07/14 09:40:26.200, 52.00\n"
      "2023/07/14 09:40:26.300, 53.00\n");
  const Recording& recording = log.recordings.at(0);
  EXPECT_THAT(watts(recording, kUsageColumn), ElementsAre(50.0, 51.0, 52.0, 53.0));
  EXPECT_EQ(recording.traces[0].samples[3].seen, at_ms_of_log(300));
  ASSERT_EQ(recording.events.size(), 1U);
  EXPECT_EQ(recording.events[0].kind, EventKind::clock_step);
  EXPECT_EQ(recording.events[0].time, at_ms_of_log(200));
  EXPECT_EQ(log.bad_rows, 0U);
}

// UTC goes on while daylight saving sets local time.
TEST(NvidiaSmiLog, DaylightSavingIsNoStep) {
  for (const auto& [last, next, whole] :
       {std::tuple{"2023/10/29 02:59:59.950", "02:00:00.050", 0},
        std::tuple{"2023/03/26 01:59:59.950", "03:00:00.050", 1}}) {
    const std::string day = std::string(last).substr(0, 11);
    std::string before = last;
    before.replace(20, 3, "850");
    const auto log =
        parsed_log("timestamp, power.draw [W]\n" + before + ", 50.00\n" + last + ", 51.00\n" + day +
                   next + ", 52.00\n" + day + std::string(next).substr(0, 9) + "150, 53.00\n");
    const Trace& trace = log.recordings.at(0).traces.at(0);
    ASSERT_EQ(trace.samples.size(), 4U);
    EXPECT_EQ(trace.samples[3].seen - trace.samples[0].seen, milliseconds(300)) << whole;
    EXPECT_TRUE(trace.gaps.empty());
    EXPECT_TRUE(log.recordings[0].events.empty());
    EXPECT_EQ(log.recordings[0].clock_pairs.size(), 1U);
    ASSERT_EQ(log.clock_settings.size(), 1U);
    EXPECT_EQ(log.clock_settings[0].below - log.clock_settings[0].above,
              milliseconds(100) + std::chrono::hours(whole == 0 ? -1 : 1));
    EXPECT_THAT(log.notes, ElementsAre(HasSubstr("daylight saving")));
  }
}

TEST(NvidiaSmiLog, LostGpuIsAnEvent) {
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00\n"
      "2023/07/14 10:10:26.100, [GPU requires reset]\n"
      "2023/07/14 10:10:26.200, [GPU requires reset]\n");
  const Recording& recording = log.recordings.at(0);
  ASSERT_EQ(recording.events.size(), 1U);
  EXPECT_EQ(recording.events[0].kind, EventKind::gpu_lost);
  EXPECT_EQ(recording.events[0].time, at_ms_of_log(100));
  EXPECT_EQ(recording.traces[0].end, at_ms_of_log(0));
  EXPECT_EQ(log.rows, 3U);
  EXPECT_EQ(log.bad_rows, 0U);
  EXPECT_THAT(log.notes, ElementsAre(HasSubstr("requires reset")));
}

TEST(NvidiaSmiLog, HealthIsKeptOnceASecondAndWhereTheStateChanges) {
  std::string text = "timestamp, pstate, power.draw [W]\n";
  for (int ms = 0; ms < 3000; ms += 100) {
    text += "2023/07/14 10:10:2" + std::to_string(6 + ms / 1000) + "." +
            std::to_string(1000 + ms % 1000).substr(1) + (ms < 1500 ? ", P0" : ", P8") +
            ", 50.00\n";
  }
  const Recording recording = parsed_log(text).recordings.at(0);
  std::vector<HostTime> times;
  for (const HealthSample& health : recording.health) times.push_back(health.time);
  EXPECT_THAT(times, ElementsAre(at_ms_of_log(0), at_ms_of_log(1000), at_ms_of_log(1500),
                                 at_ms_of_log(2500)));
}

TEST(NvidiaSmiLog, RecognisesLogsWithAndWithoutHeader) {
  EXPECT_TRUE(looks_like_nvidia_smi_log("timestamp, power.draw [W]\n"));
  EXPECT_TRUE(looks_like_nvidia_smi_log("2023/07/14 10:10:26.905, 56.38\n"));
  EXPECT_FALSE(looks_like_nvidia_smi_log("source,t_ns,value\n"));
  EXPECT_FALSE(looks_like_nvidia_smi_log("{\"schema\": \"truewatt.profile/1\"}"));
}

TEST(NvidiaSmiLog, AnswerWithoutAValueIsToldOnce) {
  std::string text = "timestamp, power.draw [W]\n2023/07/14 10:10:00.000, 50.00 W\n";
  for (int second = 11; second < 26; ++second) {
    text += "2023/07/14 10:10:" + std::to_string(second) + ".000, [N/A]\n";
  }
  const auto log = parsed_log(text + "2023/07/14 10:10:26.000, 60.00 W\n");
  EXPECT_EQ(log.rows, 17U);
  EXPECT_EQ(log.bad_rows, 0U);
  EXPECT_THAT(log.notes, ElementsAre("power.usage gave no answer for 15 s ('[N/A]', asleep?)"));
  EXPECT_EQ(log.recordings.at(0).traces.at(0).gaps.size(), 1U);
}

}  // namespace
}  // namespace truewatt::trace
