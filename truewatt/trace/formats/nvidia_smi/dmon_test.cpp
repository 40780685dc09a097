#include "truewatt/trace/formats/nvidia_smi/dmon.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using testing::HasSubstr;

constexpr SourceId kDmonPower{SourceKind::power_usage, Scope::gpu};
/// 2025-03-04 09:30:00 as UTC.
constexpr HostTime kFirst{std::chrono::seconds(1'741'080'600)};

TEST(Dmon, RowsOfSeveralGpusAreARecordingEach) {
  const std::string rows =
      "%20250304%09:30:00%0%55%45\n"
      "%20250304%09:30:00%1%60%-\n"
      "#Date%Time%gpu%pwr%gtemp\n"
      "%20250304%09:30:01%0%-%45\n"
      "%20250304%09:30:01%1%62%-\n"
      "%20250304%09:30:02%0%57%45\n"
      "%20250304%09:30:02%1%6";
  for (const char* between : {"   ", ","}) {
    std::string text = "#Date%Time%gpu%pwr%gtemp\n#YYYYMMDD%HH:MM:SS%Idx%W%C\n" + rows;
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%')) {
      text.replace(at, 1, between);
    }
    ASSERT_TRUE(looks_like_dmon(text));
    const auto log = parse_dmon(text);
    ASSERT_TRUE(log) << log.error().message;
    ASSERT_EQ(log->recordings.size(), 2U);
    EXPECT_EQ(log->recordings[1].device.index, 1);
    const Trace* first = find_trace(log->recordings[0], kDmonPower);
    const Trace* second = find_trace(log->recordings[1], kDmonPower);
    ASSERT_TRUE(first && second);
    // Stamps are cut off: in the middle of their second.
    EXPECT_EQ(first->begin, kFirst + std::chrono::milliseconds(500));
    EXPECT_EQ(first->samples.back().value, 57.0);
    EXPECT_EQ(second->samples.back().value, 62.0);
    EXPECT_EQ(log->rows, 5U);
    EXPECT_EQ(log->bad_rows, 1U);
    // Whole seconds: the clock is not known better.
    EXPECT_GE(log->recordings[0].clock_pairs.at(0).width, std::chrono::seconds(1));
  }
}

TEST(Dmon, WithoutTimeOrPowerItSaysHowToRecord) {
  for (const auto& [text, what] :
       {std::pair{"# gpu    pwr\n# Idx      W\n    0     55\n", "dmon -o DT"},
        std::pair{"#Time        gpu    pwr\n#HH:MM:SS    Idx      W\n 09:30:00 0 55\n",
                  "dmon -o DT"},
        std::pair{"#Date Time gpu sm\n#YYYYMMDD HH:MM:SS Idx %\n 20250304 09:30:00 0 9\n", "pwr"},
        std::pair{"#Entity   POWER\nID        W\nGPU 0     70.1\n", "dcgmi dmon prints no time"}}) {
    ASSERT_TRUE(looks_like_dmon(text)) << text;
    const auto log = parse_dmon(text);
    ASSERT_FALSE(log) << text;
    EXPECT_EQ(log.error().code, Errc::parse);
    EXPECT_THAT(log.error().message, HasSubstr(what));
    EXPECT_THAT(log.error().message, HasSubstr("nvidia-smi --query-gpu=timestamp"));
  }
}

}  // namespace
}  // namespace truewatt::trace
