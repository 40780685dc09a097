#include "truewatt/trace/formats/rows/held_trace.hpp"

#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;

HostTime at_held_ms(int ms) { return HostTime(milliseconds(ms)); }

TEST(HeldTrace, RunOfEqualReadingsIsOneSampleBracketedByItsPolls) {
  HeldTraceBuilder builder({SourceKind::power_instant, Scope::gpu});
  builder.show(at_held_ms(0), std::nullopt, 50.0);
  builder.show(at_held_ms(7), std::nullopt, 50.0);
  builder.show(at_held_ms(14), std::nullopt, 60.0);
  builder.show(at_held_ms(21), std::nullopt, 60.0);
  const Trace trace = std::move(builder).finish();
  ASSERT_EQ(trace.samples.size(), 2U);
  EXPECT_EQ(trace.samples[0].before, at_held_ms(0));
  EXPECT_EQ(trace.samples[0].seen, at_held_ms(0));
  EXPECT_EQ(trace.samples[1].before, at_held_ms(7));
  EXPECT_EQ(trace.samples[1].seen, at_held_ms(14));
  EXPECT_EQ(trace.begin, at_held_ms(0));
  EXPECT_EQ(trace.end, at_held_ms(21));
  EXPECT_EQ(trace.polls, 4U);
  EXPECT_TRUE(trace.gaps.empty());
}

TEST(HeldTrace, SilenceIsAGapBetweenTheReadingsAroundIt) {
  HeldTraceBuilder builder({});
  builder.stay_silent(at_held_ms(-20), "before anything was read");
  builder.show(at_held_ms(0), std::nullopt, 50.0);
  builder.stay_silent(at_held_ms(10), "[N/A]");
  builder.stay_silent(at_held_ms(20), "later cause");
  builder.show(at_held_ms(30), std::nullopt, 50.0);
  builder.stay_silent(at_held_ms(40), "at the end");
  const Trace trace = std::move(builder).finish();
  EXPECT_EQ(trace.begin, at_held_ms(-20));
  EXPECT_EQ(trace.samples[0].before, at_held_ms(0));
  ASSERT_EQ(trace.gaps.size(), 1U);
  EXPECT_EQ(trace.gaps[0].begin, at_held_ms(0));
  EXPECT_EQ(trace.gaps[0].end, at_held_ms(30));
  EXPECT_EQ(trace.gaps[0].cause, "[N/A]");
  EXPECT_EQ(trace.samples.size(), 1U);
  EXPECT_EQ(trace.end, at_held_ms(30));
  EXPECT_EQ(trace.polls, 2U);
}

TEST(HeldTrace, LongSilentIntervalIsAPause) {
  HeldTraceBuilder builder({});
  for (const int ms : {0, 100, 200, 300, 900, 1000, 1100})
    builder.show(at_held_ms(ms), std::nullopt, 50.0);
  const Trace trace = std::move(builder).finish();
  ASSERT_EQ(trace.gaps.size(), 1U);
  EXPECT_EQ(trace.gaps[0].begin, at_held_ms(300));
  EXPECT_EQ(trace.gaps[0].end, at_held_ms(900));
  EXPECT_EQ(trace.gaps[0].cause, kNoRows);
}

TEST(HeldTrace, IntervalsOfDecadesAreCompared) {
  const auto year = [](int n) { return HostTime(std::chrono::hours(24 * 366 * n)); };
  HeldTraceBuilder builder({});
  for (const int n : {0, 60, 120}) builder.show(year(n), std::nullopt, 50.0);
  const Trace trace = std::move(builder).finish();
  EXPECT_TRUE(trace.gaps.empty());
  EXPECT_EQ(trace.end, year(120));
}

}  // namespace
}  // namespace truewatt::trace
