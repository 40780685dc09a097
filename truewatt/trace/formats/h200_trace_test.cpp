#include "truewatt/trace/formats/h200_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;

constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kBuffer{SourceKind::power_samples, Scope::gpu};

HostTime at(int ms) { return HostTime(milliseconds(ms)); }

H200Trace parsed(std::string_view text) {
  auto trace = parse_h200_trace(text);
  EXPECT_TRUE(trace) << (trace ? "" : trace.error().message);
  return trace ? *std::move(trace) : H200Trace{};
}

TEST(H200Trace, ValuesAreJoulesAndWatts) {
  const auto trace = parsed(
      "source,t_ns,value\n"
      "energy_mJ,1000000000,17649891\n"
      "instant_mW,1000000000,125038\n"
      "average_mW,1000000000,125486\n"
      "power_usage_mW,1000000000,125488\n"
      "buffer_mW,1000000000,122338\n");
  const Recording& recording = trace.recording;
  ASSERT_EQ(recording.traces.size(), 5U);
  EXPECT_DOUBLE_EQ(find_trace(recording, kCounter)->samples[0].value, 17649.891);
  EXPECT_DOUBLE_EQ(find_trace(recording, kInstant)->samples[0].value, 125.038);
  EXPECT_DOUBLE_EQ(find_trace(recording, kBuffer)->samples[0].value, 122.338);
  EXPECT_EQ(trace.rows, 5U);
}

TEST(H200Trace, ChangeIsBracketedByTheRowBeforeOrByARound) {
  const auto trace = parsed(
      "source,t_ns,value\n"
      "energy_mJ,1000000000,1000\n"
      "instant_mW,1000000000,50000\n"
      "energy_mJ,1100000000,2000\n"
      "buffer_mW,1099000000,50000\n"
      "instant_mW,1102000000,51000\n");
  const Trace& counter = *find_trace(trace.recording, kCounter);
  EXPECT_EQ(counter.samples[0].before, counter.samples[0].seen);
  EXPECT_EQ(counter.samples[1].before, at(1100) - kRecorderRound);
  EXPECT_EQ(counter.samples[1].seen, at(1100));
  EXPECT_FALSE(counter.samples[1].stamp);
  EXPECT_EQ(find_trace(trace.recording, kInstant)->samples[1].before, at(1100));
  EXPECT_EQ(counter.begin, at(1000));
  EXPECT_EQ(counter.end, at(1102));
}

TEST(H200Trace, RowsOfOneRoundDoNotBracketEachOther) {
  const auto trace = parsed(
      "source,t_ns,value\n"
      "instant_mW,1000000000,50000\n"
      "average_mW,1000000100,60000\n"
      "energy_mJ,1097000000,1000\n"
      "instant_mW,1100000000,51000\n"
      "average_mW,1100000100,61000\n");
  EXPECT_EQ(find_trace(trace.recording, kInstant)->samples[1].before, at(1097));
  EXPECT_EQ(find_trace(trace.recording, {SourceKind::power_average, Scope::gpu})->samples[1].before,
            at(1097));
}

TEST(H200Trace, BufferSamplesCarryTheDriversStamp) {
  const auto trace = parsed("source,t_ns,value\nbuffer_mW,1099000000,50000\n");
  const Sample& sample = find_trace(trace.recording, kBuffer)->samples[0];
  EXPECT_EQ(sample.before, at(1099));
  EXPECT_EQ(sample.seen, at(1099));
  EXPECT_EQ(sample.stamp, DriverTime(milliseconds(1099)));
  ASSERT_EQ(trace.recording.clock_pairs.size(), 1U);
}

TEST(H200Trace, LoadEdgesBecomeWindowsAndActivity) {
  const auto trace = parsed(
      "source,t_ns,value\n"
      "instant_mW,1000000000,50000\n"
      "load_begin,1010000000,1\n"
      "load_end,1020000000,0\n"
      "load_begin,1030000000,1\n"
      "load_end,1040000000,0\n");
  ASSERT_EQ(trace.recording.windows.size(), 2U);
  EXPECT_EQ(trace.recording.windows[1].begin, at(1030));
  EXPECT_EQ(trace.recording.windows[1].end, at(1040));
  ASSERT_EQ(trace.recording.activity.size(), 2U);
  EXPECT_EQ(trace.recording.activity[0].kind.what, "1");
}

TEST(H200Trace, BracketsAreTheRecordedPolls) {
  const auto trace = parsed(
      "source,t_prev_poll_ns,t_ns,value\n"
      "energy_mJ,0,1000000000,1000\n"
      "sm_clock_MHz,0,1000000000,1980\n"
      "energy_mJ,1096000000,1100000000,2000\n"
      "load,1050000000,1090000000,1\n");
  const Trace& counter = *find_trace(trace.recording, kCounter);
  EXPECT_EQ(counter.samples[0].before, at(1000));
  EXPECT_EQ(counter.samples[1].before, at(1096));
  EXPECT_TRUE(trace.recording.clock_pairs.empty());
  ASSERT_EQ(trace.recording.windows.size(), 1U);
  EXPECT_EQ(trace.recording.windows[0].begin, at(1050));
  ASSERT_EQ(trace.recording.health.size(), 1U);
  EXPECT_EQ(trace.recording.health[0].sm_clock_mhz, 1980.0);
}

TEST(H200Trace, BadRowsAreCountedAndCostNoOther) {
  const auto trace = parsed(
      "source,t_ns,value\n"
      "instant_mW,1000000000,50000\n"
      "instant_mW,1100000000,nan\n"
      "instant_mW,-1,50000\n"
      "instant_mW,9223372036854775807,50000\n"
      "instant_mW,1100000000\n"
      "fan_rpm,1100000000,50000\n"
      "instant_mW,900000000,50000\n"
      "load_end,1100000000,0\n"
      "load_begin,1100000000,1\n"
      "load_begin,1110000000,1\n"
      "instant_mW,1200000000,51000\n");
  EXPECT_EQ(trace.rows, 3U);
  EXPECT_EQ(trace.bad_rows, 8U);
  EXPECT_THAT(trace.warnings.front(), "line 3: value is 'nan'");
  EXPECT_EQ(find_trace(trace.recording, kInstant)->samples.size(), 2U);
  EXPECT_TRUE(trace.recording.windows.empty());
}

TEST(H200Trace, NeedsOneOfItsHeadersAndAReading) {
  EXPECT_EQ(parse_h200_trace("").error().code, Errc::parse);
  EXPECT_EQ(parse_h200_trace("timestamp, power.draw [W]\n").error().code, Errc::parse);
  EXPECT_EQ(parse_h200_trace("source,t_ns,value\n").error().code, Errc::insufficient_data);
  EXPECT_TRUE(looks_like_h200_trace("source, t_ns, value\r\n"));
  EXPECT_FALSE(looks_like_h200_trace("t_ns,source,value\n"));
}

}  // namespace
}  // namespace truewatt::trace
