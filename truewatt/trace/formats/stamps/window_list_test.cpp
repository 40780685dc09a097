#include "truewatt/trace/formats/stamps/window_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/trace/formats/stamps/log_stamp.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

/// A recording whose first reading is at `begin` on its host axis.
Recording starting_at(HostTime begin) {
  Trace trace;
  trace.begin = begin;
  trace.end = begin + std::chrono::seconds(10);
  trace.samples = {{begin, begin, std::nullopt, 1.0}};
  Recording recording;
  recording.traces = {trace};
  return recording;
}

TEST(WindowList, MayHoldWindowsInEachOtherAndKeepsTheirOrder) {
  const auto list = read_windows("begin_s,end_s,label\n4,5,step\n1,6,epoch\n2,3,step\n");
  ASSERT_TRUE(list);
  const auto& windows = std::get<std::vector<RelativeWindow>>(list->windows);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].label, "step");
  EXPECT_EQ(windows[1].begin, std::chrono::seconds(1));
  EXPECT_EQ(windows[2].end, std::chrono::seconds(3));
}

TEST(WindowList, RelativeWindowsCountFromTheFirstReading) {
  const auto list = read_windows("begin_s,end_s\n1.5,2\n3,4.25\n");
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->are_load);
  EXPECT_TRUE(edges_of(*list).empty());
  const HostTime begin(std::chrono::seconds(1000));
  const auto windows = place_windows(*list, starting_at(begin));
  ASSERT_TRUE(windows);
  ASSERT_EQ(windows->size(), 2U);
  EXPECT_EQ((*windows)[0].begin, begin + milliseconds(1500));
  EXPECT_EQ((*windows)[1].end, begin + milliseconds(4250));
  EXPECT_EQ((*windows)[0].label, "load");
}

TEST(WindowList, EpochSecondsAreAbsoluteToTheNanosecond) {
  const auto list = read_windows("begin_s,end_s\n1689325828.417687001,1689325834\n");
  ASSERT_TRUE(list);
  const auto& windows = std::get<std::vector<AbsoluteWindow>>(list->windows);
  EXPECT_EQ(count_ns(windows.at(0).begin), 1'689'325'828'417'687'001);
  EXPECT_EQ(edges_of(*list).size(), 2U);
}

TEST(WindowList, MillisecondsSinceTheEpochAreReadAsInALog) {
  const auto list = read_windows("begin,end\n1689325828417,1689325834000\n");
  ASSERT_TRUE(list);
  EXPECT_FALSE(list->are_local);
  const auto& windows = std::get<std::vector<AbsoluteWindow>>(list->windows);
  EXPECT_EQ(count_ns(windows.at(0).begin), 1'689'325'828'417'000'000);
  EXPECT_EQ(count_ns(windows.at(0).end), 1'689'325'834'000'000'000);
}

TEST(WindowList, AbsoluteWindowsGoThroughTheClockPairs) {
  const auto list = read_windows("begin_s,end_s\n1689325828,1689325829\n");
  Recording recording = starting_at(HostTime(std::chrono::seconds(5)));
  ASSERT_TRUE(list);
  EXPECT_EQ(place_windows(*list, recording).error().code, Errc::unsupported);
  recording.clock_pairs = {{HostTime(std::chrono::seconds(5)),
                            DriverTime(std::chrono::seconds(1'689'325'825)), Nanoseconds(0)}};
  const auto placed = place_windows(*list, recording);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->at(0).begin, HostTime(std::chrono::seconds(8)));
}

TEST(WindowList, EventStampsAreWindowsInWhichTheLoadRan) {
  const auto list =
      read_windows("timestamp\n1689325828000000\n1689325829000000\n1689325830000000\n");
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->are_load);
  EXPECT_EQ(std::get<std::vector<AbsoluteWindow>>(list->windows).size(), 1U);
}

TEST(WindowList, StampsWithADateAreAbsolute) {
  const auto list = read_windows(
      "start,end\n2025-03-04T09:30:00+01:00,2025/03/04 08:30:10.5Z\n"
      "1741077020,2025-03-04 08:31:00+00:00\n");
  ASSERT_TRUE(list) << list.error().message;
  const auto& windows = std::get<std::vector<AbsoluteWindow>>(list->windows);
  EXPECT_EQ(count_ns(windows.at(0).begin), 1'741'077'000'000'000'000);
  EXPECT_EQ(count_ns(windows.at(0).end), 1'741'077'010'500'000'000);
  EXPECT_EQ(windows.at(1).end - windows.at(1).begin, std::chrono::seconds(40));
  EXPECT_FALSE(list->are_local);
}

TEST(WindowList, LocalTimesArePlacedOnlyByAnOffset) {
  const auto list = read_windows("begin,end\n2025-03-04 09:30:00,2025-03-04 09:30:10\n");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_TRUE(list->are_local);
  EXPECT_TRUE(edges_of(*list).empty());
  const auto refused = place_windows(*list, starting_at(HostTime(std::chrono::seconds(5))));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("--utc-offset"));
  const WindowList utc = in_utc(*list, std::chrono::minutes(60));
  EXPECT_FALSE(utc.are_local);
  EXPECT_EQ(count_ns(std::get<std::vector<AbsoluteWindow>>(utc.windows).at(0).begin),
            1'741'077'000'000'000'000);
}

TEST(WindowList, LocalTimesGoOnWhereDaylightSavingSetTheClock) {
  const auto stamp = [](const char* text) { return parse_dated_stamp(text)->time; };
  const auto moved = [&](const char* row, const ClockSetting& setting) {
    const auto list = read_windows(std::string("begin,end\n") + row + "\n");
    return without_daylight_saving(*list, {&setting, 1});
  };
  const auto begin_of = [](const Result<WindowList>& list) {
    return std::get<std::vector<AbsoluteWindow>>(list->windows).at(0).begin;
  };
  const ClockSetting back{stamp("2025-10-26 02:59:59.9"), stamp("2025-10-26 02:00:00")};
  EXPECT_EQ(begin_of(moved("2025-10-26 01:30:00,2025-10-26 01:31:00", back)),
            stamp("2025-10-26 01:30:00"));
  EXPECT_EQ(begin_of(moved("2025-10-26 03:30:00,2025-10-26 03:31:00", back)),
            stamp("2025-10-26 04:30:00"));
  const auto twice = moved("2025-10-26 02:30:00,2025-10-26 03:31:00", back);
  ASSERT_FALSE(twice);
  EXPECT_THAT(twice.error().message, HasSubstr("twice"));
  const ClockSetting forward{stamp("2025-03-30 01:59:59.9"), stamp("2025-03-30 03:00:00")};
  EXPECT_EQ(begin_of(moved("2025-03-30 03:30:00,2025-03-30 03:31:00", forward)),
            stamp("2025-03-30 02:30:00"));
  // With an offset they are no local times.
  EXPECT_EQ(begin_of(moved("2025-10-26 02:30:00Z,2025-10-26 03:31:00Z", back)),
            stamp("2025-10-26 02:30:00"));
}

TEST(WindowList, ColumnsMayBeSwappedAndLabelled) {
  const auto list = read_windows("label, end_s, begin_s\nwarm-up, 2, 1\n, 4, 3\n");
  ASSERT_TRUE(list);
  const auto& windows = std::get<std::vector<RelativeWindow>>(list->windows);
  EXPECT_EQ(windows.at(0).label, "warm-up");
  EXPECT_EQ(windows.at(0).begin, std::chrono::seconds(1));
  EXPECT_EQ(windows.at(1).label, "load");
}

TEST(WindowList, EveryFaultIsAnError) {
  struct Case {
    const char* text;
    const char* says;
  };
  for (const Case& c :
       {Case{"begin_s,end_s\n2,1\n", "line 2: '2,1' does not end after it begins"},
        Case{"begin_s,end_s\n1,1\n", "does not end after it begins"},
        Case{"begin_s,end_s\n1\n", "lacks a column"},
        Case{"begin_s,end_s\n1,nan\n", "is not two times"},
        Case{"begin_s,end_s\n1,1689325828\n", "mixes"},
        Case{"begin_s,end_s\n1,2\n1689325828,1689325829\n", "since the epoch, the windows above"},
        Case{"begin,end\n2025-03-04 09:30:00Z,2025-03-04 09:30:10\n", "with local times"},
        Case{"1,2\n", "is not a header line"}, Case{"1.5\n2.5\n", "not an event stamp"}}) {
    const auto list = read_windows(c.text);
    ASSERT_FALSE(list) << c.text;
    EXPECT_EQ(list.error().code, Errc::parse) << c.text;
    EXPECT_THAT(list.error().message, HasSubstr(c.says));
  }
}

TEST(WindowList, ALabelIsNamedSoWhateverColumnsStandBeforeIt) {
  const auto list = read_windows("name,start_s,stop_s,label\nresnet,1,2,step 1\n");
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(std::get<std::vector<RelativeWindow>>(list->windows).at(0).label, "step 1");
}

TEST(WindowList, NoWindowIsInsufficient) {
  EXPECT_EQ(read_windows("").error().code, Errc::insufficient_data);
  EXPECT_EQ(read_windows("\n\n").error().code, Errc::insufficient_data);
  EXPECT_EQ(read_windows("begin_s,end_s\n").error().code, Errc::insufficient_data);
  const auto list = read_windows("begin_s,end_s\n1,2\n");
  ASSERT_TRUE(list);
  EXPECT_EQ(place_windows(*list, Recording{}).error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::trace
