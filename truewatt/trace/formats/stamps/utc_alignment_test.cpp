#include "truewatt/trace/formats/stamps/utc_alignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

/// When the runs below happened, in UTC.
constexpr DriverTime kRun{seconds(1'689'325'800)};

/// A log in local time: from `before` ahead of the run to `after` behind it, at 50 W but for
/// `load_w` over the run's first minute.
Recording local_log(minutes offset, minutes before, minutes after, double load_w) {
  const HostTime run(kRun.time_since_epoch() + offset);
  Trace trace;
  trace.source = {SourceKind::power_usage, Scope::gpu};
  trace.begin = run - before;
  trace.end = run + after;
  trace.samples.push_back({trace.begin, trace.begin, std::nullopt, 50.0});
  trace.samples.push_back({run, run, std::nullopt, load_w});
  trace.samples.push_back({run + minutes(1), run + minutes(1), std::nullopt, 50.0});
  Recording recording;
  recording.traces.push_back(trace);
  return recording;
}

const std::vector<DriverTime> kOneMinute{kRun, kRun + minutes(1)};

TEST(UtcAlignment, ShortLogHasOneOffset) {
  for (const int offset : {-12 * 60, -210, 0, 60, 345, 525, 14 * 60}) {
    const std::vector<Recording> logs{local_log(minutes(offset), minutes(1), minutes(2), 50.0)};
    const auto found = align_utc_offset(logs, kOneMinute);
    ASSERT_TRUE(found) << offset;
    EXPECT_EQ(*found, minutes(offset));
  }
}

TEST(UtcAlignment, LogMayStartALittleLate) {
  Recording log = local_log(minutes(60), minutes(1), minutes(2), 50.0);
  log.traces[0].begin += seconds(61);
  const auto found = align_utc_offset(std::vector{log}, kOneMinute);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, minutes(60));
}

TEST(UtcAlignment, LongLogIsPlacedByItsPower) {
  const std::vector<Recording> logs{local_log(minutes(-300), minutes(90), minutes(200), 300.0)};
  const auto found = align_utc_offset(logs, kOneMinute);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, minutes(-300));
}

TEST(UtcAlignment, LivelyGpuDecidesForTheIdleOnes) {
  const std::vector<Recording> logs{local_log(minutes(60), minutes(90), minutes(90), 51.0),
                                    local_log(minutes(60), minutes(90), minutes(90), 300.0)};
  EXPECT_EQ(align_utc_offset(logs, kOneMinute).value(), minutes(60));
}

TEST(UtcAlignment, LongIdleLogIsPlacedByAPromptStart) {
  const std::vector<Recording> logs{local_log(minutes(60), minutes(1), minutes(120), 50.0)};
  EXPECT_EQ(align_utc_offset(logs, kOneMinute).value(), minutes(60));
}

TEST(UtcAlignment, AmbiguityListsTheCandidates) {
  const std::vector<Recording> logs{local_log(minutes(0), minutes(65), minutes(65), 50.0)};
  const auto found = align_utc_offset(logs, kOneMinute);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::ill_conditioned);
  // Of the offsets that are in use: none is a quarter of an hour.
  EXPECT_THAT(found.error().message, HasSubstr("(-01:00, +00:00, +01:00)"));
}

// Twenty minutes of work at every full hour, one at 300 W: which is meant does not show.
TEST(UtcAlignment, TwoBlocksOfWorkAreTwoOffsetsHoweverMuchEachDraws) {
  Trace trace;
  trace.source = {SourceKind::power_usage, Scope::gpu};
  const HostTime first(kRun.time_since_epoch());
  trace.begin = first - minutes(15);
  trace.end = first + minutes(155);
  trace.samples.push_back({trace.begin, trace.begin, std::nullopt, 60.0});
  for (const auto& [hour, watts] :
       {std::pair{0, 180.0}, std::pair{1, 300.0}, std::pair{2, 120.0}}) {
    for (const auto& [at, value] : {std::pair{60 * hour, watts}, std::pair{60 * hour + 20, 60.0}}) {
      trace.samples.push_back({first + minutes(at), first + minutes(at), std::nullopt, value});
    }
  }
  Recording recording;
  recording.traces.push_back(trace);
  const std::vector<DriverTime> job{kRun, kRun + minutes(20)};
  const auto found = align_utc_offset(std::vector{recording}, job);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::ill_conditioned);
  EXPECT_THAT(found.error().message, HasSubstr("(+00:00, +01:00, +02:00)"));
}

TEST(UtcAlignment, EventsOfAnotherRunFitNowhere) {
  const std::vector<Recording> logs{local_log(minutes(0), minutes(1), minutes(2), 50.0)};
  const std::vector<DriverTime> other{kRun + minutes(7), kRun + minutes(8)};
  EXPECT_EQ(align_utc_offset(logs, other).error().code, Errc::invalid_argument);
}

TEST(UtcAlignment, NothingToAlignIsInsufficient) {
  EXPECT_EQ(align_utc_offset({}, kOneMinute).error().code, Errc::insufficient_data);
  const std::vector<Recording> logs{local_log(minutes(0), minutes(1), minutes(2), 50.0)};
  EXPECT_EQ(align_utc_offset(logs, {}).error().code, Errc::insufficient_data);
}

TEST(UtcAlignment, OffsetsPrintAsPeopleWriteThem) {
  EXPECT_EQ(format_utc_offset(minutes(60)), "+01:00");
  EXPECT_EQ(format_utc_offset(minutes(-210)), "-03:30");
  EXPECT_EQ(format_utc_offset(minutes(0)), "+00:00");
}

}  // namespace
}  // namespace truewatt::trace
