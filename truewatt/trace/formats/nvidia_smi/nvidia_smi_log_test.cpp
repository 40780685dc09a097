#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr SourceId kUsageColumn{SourceKind::power_usage, Scope::gpu};
constexpr SourceId kInstantColumn{SourceKind::power_instant, Scope::gpu};

/// 2023/07/14 10:10:26.000 as UTC, and `ms` behind it.
HostTime at_ms_of_log(int ms) {
  return HostTime(std::chrono::seconds(1'689'329'426)) + milliseconds(ms);
}

PowerLog parsed_log(std::string_view text) {
  auto log = parse_nvidia_smi_log(text);
  EXPECT_TRUE(log) << (log ? "" : log.error().message);
  return log ? *std::move(log) : PowerLog{};
}

std::vector<double> watts(const Recording& recording, SourceId source) {
  std::vector<double> all;
  const Trace* trace = find_trace(recording, source);
  if (trace == nullptr) return all;
  for (const Sample& sample : trace->samples) all.push_back(sample.value);
  return all;
}

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

TEST(NvidiaSmiLog, ColumnsComeInAnyOrderWithOrWithoutUnits) {
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

TEST(NvidiaSmiLog, GpusAreToldApartByWhatTheLogHas) {
  const auto log = parsed_log(
      "timestamp, index, name, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 0, NVIDIA A100, GPU-aa, 50.00\n"
      "2023/07/14 10:10:26.001, 1, NVIDIA A100, GPU-bb, 70.00\n"
      "2023/07/14 10:10:26.100, 0, NVIDIA A100, GPU-aa, 51.00\n"
      "2023/07/14 10:10:26.101, 1, NVIDIA A100, GPU-bb, 70.00\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[1].device.index, 1);
  EXPECT_EQ(log.recordings[1].device.uuid, "GPU-bb");
  EXPECT_EQ(log.recordings[1].device.name, "NVIDIA A100");
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_THAT(watts(log.recordings[1], kUsageColumn), ElementsAre(70.0));
}

TEST(NvidiaSmiLog, GpusAreToldApartByPciIdIndexOrNameAlone) {
  for (const auto& [title, a, b] :
       {std::tuple{"pci.bus_id", "00000000:1B:00.0", "00000000:5E:00.0"},
        std::tuple{"index", "0", "1"}, std::tuple{"name", "NVIDIA A100", "Tesla T4"}}) {
    const std::string text = std::string("timestamp, ") + title + ", power.draw [W]\n" +
                             "2023/07/14 10:10:26.000, " + a + ", 50.00\n" +
                             "2023/07/14 10:10:26.000, " + b + ", 70.00\n";
    EXPECT_EQ(parsed_log(text).recordings.size(), 2U) << title;
  }
}

TEST(NvidiaSmiLog, GarbledGpuNameMakesNoGpu) {
  const auto log = parsed_log(
      "timestamp, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, GPU-aa, 50.00\n"
      "2023/07/14 10:10:26.100, G#U-aa, 51.00\n");
  EXPECT_EQ(log.recordings.size(), 1U);
  EXPECT_EQ(log.bad_rows, 1U);
  EXPECT_THAT(log.warnings, ElementsAre("line 3: uuid is 'G#U-aa'"));
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

TEST(NvidiaSmiLog, RowWhosePowerIsGarbledIsGoodForItsOtherCells) {
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

TEST(NvidiaSmiLog, BadRowsBetweenGoodOnesCostNothing) {
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

TEST(NvidiaSmiLog, WindowsLineEndsTrailingCommasAndByteOrderMark) {
  const auto log = parsed_log(
      "\xEF\xBB\xBFtimestamp, power.draw [W],\r\n"
      "2023/07/14 10:10:26.000, 50.00,\r\n"
      "2023/07/14 10:10:26.100, 51.00,\r\n");
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiLog, Utf16AsPowerShellWritesIt) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("timestamp, power.draw [W]\n2023/07/14 10:10:26.000, 50.00\n")) {
    wide += {c, '\0'};
  }
  EXPECT_THAT(watts(parsed_log(wide).recordings.at(0), kUsageColumn), ElementsAre(50.0));
}

TEST(NvidiaSmiLog, LastLineThatWasCutInsideANumberDoesNotGiveTheNumber) {
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

TEST(NvidiaSmiLog, WholeLastLineNeedsNoLineFeed) {
  const auto log = parsed_log(
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 160.50 W\n"
      "2023/07/14 10:10:26.100, 61.25 W");
  EXPECT_THAT(watts(log.recordings.at(0), kUsageColumn), ElementsAre(160.5, 61.25));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiLog, HeaderInTheMiddleMayChangeTheColumns) {
  const auto log = parsed_log(
      "timestamp, power.draw [W], pstate\n"
      "2023/07/14 10:10:26.000, 50.00, P0\n"
      "timestamp, pstate, power.draw [W]\n"
      "2023/07/14 10:10:26.100, P0, 51.00\n");
  ASSERT_EQ(log.recordings.size(), 1U);
  EXPECT_THAT(watts(log.recordings[0], kUsageColumn), ElementsAre(50.0, 51.0));
  EXPECT_EQ(log.bad_rows, 0U);
}

TEST(NvidiaSmiLog, LinesBeforeTheHeaderAreCountedAsBad) {
  const auto log = parsed_log(
      "$ nvidia-smi --format=csv\n"
      "timestamp, power.draw [W]\n"
      "2023/07/14 10:10:26.000, 50.00\n");
  EXPECT_EQ(log.rows, 1U);
  EXPECT_EQ(log.bad_rows, 1U);
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

TEST(NvidiaSmiLog, NulBytesOfACrashCostOnlyWhatTheyCover) {
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

/// `gpus` rows a query, `within` ms apart, a query every 100 ms; each GPU at 50 W times its place.
std::string queries(int gpus, int within, int count) {
  std::string text = "timestamp, name, power.draw [W]\n";
  for (int query = 0; query < count; ++query) {
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const int ms = 100 * query + within * gpu;
      text += "2023/07/14 10:10:" + std::to_string(26 + ms / 1000) + "." +
              std::to_string(1000 + ms % 1000).substr(1) + ", NVIDIA A100, " +
              std::to_string(50 * (gpu + 1)) + ".00 W\n";
    }
  }
  return text;
}

TEST(NvidiaSmiLog, GpusOfOneNameAreToldApartByTheirOrderInAQuery) {
  for (const int gpus : {2, 4, 8, 16}) {
    const auto log = parsed_log(queries(gpus, 1, 20));
    ASSERT_EQ(log.recordings.size(), static_cast<std::size_t>(gpus));
    for (int gpu = 0; gpu < gpus; ++gpu) {
      const Recording& recording = log.recordings[static_cast<std::size_t>(gpu)];
      EXPECT_THAT(watts(recording, kUsageColumn), ElementsAre(50.0 * (gpu + 1)));
      EXPECT_EQ(recording.device.index, gpu);
      EXPECT_EQ(recording.traces[0].polls, 20U);
    }
    EXPECT_THAT(log.notes, ElementsAre(HasSubstr("by the order of their rows")));
  }
}

TEST(NvidiaSmiLog, RowLostFromAQueryShiftsNoOther) {
  std::string text = queries(4, 1, 40);
  const std::size_t lost = text.find("2023/07/14 10:10:27.002");
  text.erase(lost, text.find('\n', lost) + 1 - lost);
  const auto log = parsed_log(text);
  ASSERT_EQ(log.recordings.size(), 4U);
  for (int gpu = 0; gpu < 4; ++gpu) {
    EXPECT_THAT(watts(log.recordings[static_cast<std::size_t>(gpu)], kUsageColumn),
                ElementsAre(50.0 * (gpu + 1)));
  }
}

TEST(NvidiaSmiLog, OneGpuStaysOneHoweverItsRowsAreSpaced) {
  for (const auto& steps : {std::vector{20, 20}, std::vector{15, 25}, std::vector{40, 80}}) {
    std::string text = "timestamp, power.draw [W]\n";
    for (int i = 0, ms = 0; i < 60; ++i) {
      text += "2023/07/14 10:10:" + std::to_string(26 + ms / 1000) + "." +
              std::to_string(1000 + ms % 1000).substr(1) + ", 50.00 W\n";
      ms += steps[static_cast<std::size_t>(i % 2)];
    }
    EXPECT_EQ(parsed_log(text).recordings.size(), 1U);
  }
}

// Ten readings a second of one GPU, or of ten?
TEST(NvidiaSmiLog, EqualStampsTooCoarseToTellAreRefused) {
  std::string text = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 300; ++i) {
    text += "2023/07/14 10:10:" + std::to_string(26 + i / 10) + ", 50.00 W\n";
  }
  const auto log = parse_nvidia_smi_log(text);
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::ill_conditioned);
  EXPECT_THAT(log.error().message, HasSubstr("record index or uuid"));
}

TEST(NvidiaSmiLog, ColumnAGpuIsARecordingEach) {
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

TEST(NvidiaSmiLog, TablesOfSpreadsheetsAreTheSameLog) {
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

TEST(NvidiaSmiLog, DateAndTimeMayBeTwoColumnsAndAGpuANumberOrAName) {
  const auto log = parsed_log(
      "date,time,gpu,power\n"
      "2023-07-14,10:10:26.000,1,50.5\n"
      "2023-07-14,10:10:26.000,NVIDIA A100,60.5\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.index, 1);
  EXPECT_EQ(log.recordings[0].traces[0].begin, at_ms_of_log(0));
  EXPECT_EQ(log.recordings[1].device.name, "NVIDIA A100");
}

TEST(NvidiaSmiLog, GpusThatHaveNamesAloneAreNumberedAsTheyCome) {
  const auto log = parsed_log(
      "timestamp, uuid, power.draw [W]\n"
      "2023/07/14 10:10:26.000, GPU-b, 50.5 W\n"
      "2023/07/14 10:10:26.001, GPU-a, 60.5 W\n");
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.index, 0);
  EXPECT_EQ(log.recordings[1].device.index, 1);
  EXPECT_EQ(log.recordings[1].device.uuid, "GPU-a");
  EXPECT_THAT(log.notes, Contains(HasSubstr("numbered in the order")));
}

TEST(NvidiaSmiLog, SecondsSinceTheStartAreTimes) {
  const auto log = parsed_log("time_s,gpu0_w\n0.0,50\n0.1,51\n");
  const Trace& trace = log.recordings.at(0).traces.at(0);
  EXPECT_EQ(trace.end - trace.begin, milliseconds(100));
  EXPECT_FALSE(log.utc_offset);
}

TEST(NvidiaSmiLog, ColumnsOfOtherThingsAreNoPower) {
  for (const char* title : {"cpu_power", "gpu0_util", "power_limit", "GPU0 temperature", "total"}) {
    const auto log = parse_nvidia_smi_log(std::string("timestamp,") + title + "\n1689329426,50\n");
    ASSERT_FALSE(log) << title;
    EXPECT_THAT(log.error().message, HasSubstr(title));
  }
}

}  // namespace
}  // namespace truewatt::trace
