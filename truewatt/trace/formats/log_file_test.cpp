#include "truewatt/trace/formats/log_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr SourceId kDcgmPower{SourceKind::power_usage, Scope::gpu};
constexpr SourceId kDcgmEnergy{SourceKind::energy_counter, Scope::gpu};

std::string series(const std::string& metric, const std::string& labels,
                   const std::string& values) {
  return "{\"metric\":{\"__name__\":\"" + metric + "\"," + labels + "},\"values\":[" + values +
         "]}";
}

std::string matrix(const std::string& series) {
  return "{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[" + series +
         "]}}";
}

TEST(LogFile, PrometheusRangesOfDcgmArePower) {
  const std::string one = "\"gpu\":\"1\",\"UUID\":\"GPU-aa\",\"modelName\":\"NVIDIA A100\"";
  const auto file = parse_log_file(matrix(
      series("DCGM_FI_DEV_POWER_USAGE", one, "[1741080600,\"55.5\"],[1741080615.5,\"311\"]") + "," +
      series("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", one,
             "[1741080600,\"1000\"],[1741080615.5,\"2500\"]") +
      "," +
      series("DCGM_FI_DEV_POWER_USAGE", one + ",\"GPU_I_ID\":\"1\"", "[1741080600,\"55.5\"]") +
      "," +
      series("DCGM_FI_DEV_POWER_USAGE", "\"gpu\":\"0\",\"UUID\":\"GPU-bb\"",
             "[1741080600,\"NaN\"],[1741080615.5,\"70\"]")));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->format, "Prometheus");
  const PowerLog& log = file->log;
  EXPECT_EQ(log.utc_offset, std::chrono::minutes(0));
  ASSERT_EQ(log.recordings.size(), 2U);
  EXPECT_EQ(log.recordings[0].device.uuid, "GPU-aa");
  EXPECT_EQ(log.recordings[0].device.index, 1);
  const Trace* power = find_trace(log.recordings[0], kDcgmPower);
  const Trace* counter = find_trace(log.recordings[0], kDcgmEnergy);
  ASSERT_TRUE(power);
  EXPECT_EQ(counter, nullptr);
  EXPECT_THAT(log.notes, testing::Contains(HasSubstr("the energy counter was left out")));
  ASSERT_EQ(power->samples.size(), 2U);
  EXPECT_EQ(power->samples[1].value, 311.0);
  EXPECT_EQ(power->samples[1].seen, HostTime(std::chrono::milliseconds(1'741'080'615'500)));
  EXPECT_EQ(find_trace(log.recordings[1], kDcgmPower)->samples.size(), 1U);
  EXPECT_THAT(log.notes, testing::Contains(HasSubstr("1 series that repeat")));
}

TEST(LogFile, PrometheusSeriesOfOneIndexAreOfTheirHostsOrInstances) {
  for (const char* title : {"Hostname", "instance"}) {
    std::string all;
    for (const char* host : {"n0", "n1"}) {
      all += (all.empty() ? "" : ",") +
             series("DCGM_FI_DEV_POWER_USAGE",
                    std::string("\"gpu\":\"0\",\"") + title + "\":\"" + host + "\"",
                    "[1741080600,\"55.5\"],[1741080615.5,\"311\"]");
    }
    const auto file = parse_log_file(matrix(all));
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->log.recordings.size(), 2U) << title;
    EXPECT_EQ(file->log.recordings[1].device.host, "n1");
    EXPECT_EQ(file->log.recordings[1].device.index, 1);
  }
}

TEST(LogFile, OtherAnswersOfPrometheusSayWhatToAsk) {
  for (const auto& [text, what] :
       {std::pair{matrix(series("up", "\"job\":\"x\"", "[1,\"1\"]")), "'up'"},
        std::pair{std::string("{\"data\":{\"resultType\":\"vector\",\"result\":[]}}"), "'vector'"},
        std::pair{matrix("").substr(0, 50), "was cut"}, std::pair{matrix(""), "no series"}}) {
    ASSERT_TRUE(looks_like_log_file(text));
    const auto file = parse_log_file(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, Errc::parse);
    EXPECT_THAT(file.error().message, HasSubstr(what));
    EXPECT_THAT(file.error().message, HasSubstr("query_range"));
  }
}

TEST(LogFile, FilesWithoutReadingsAreRecognised) {
  for (const auto& [text, what] :
       {std::pair{"start_time,window_name,elapsed_time,gpu0_energy\n1,epoch,2,3\n", "ZeusMonitor"},
        std::pair{"timestamp,project_name,emissions_rate,gpu_power,gpu_energy\n2025-03-04T09:30:00,"
                  "p,1,2,3\n",
                  "CodeCarbon"},
        std::pair{"<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n", "XML"},
        std::pair{"+---+\n| NVIDIA-SMI 550.90.07 |\n", "one moment"},
        std::pair{"# HELP DCGM_FI_DEV_POWER_USAGE Power\n", "no time"}}) {
    ASSERT_TRUE(looks_like_log_file(text)) << text;
    const auto file = parse_log_file(text);
    ASSERT_FALSE(file) << text;
    EXPECT_EQ(file.error().code, Errc::parse);
    EXPECT_THAT(file.error().message, HasSubstr(what));
    EXPECT_THAT(file.error().message, HasSubstr("--format=csv"));
  }
}

TEST(LogFile, Utf16IsReadWhateverTheFormat) {
  std::string wide = "\xFF\xFE";
  for (const char c : std::string("#Date Time gpu pwr\r\n20250304 09:30:00 0 55\r\n"))
    wide += {c, '\0'};
  ASSERT_TRUE(looks_like_log_file(wide));
  const auto file = parse_log_file(wide);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->format, "nvidia-smi dmon");
}

}  // namespace
}  // namespace truewatt::trace
