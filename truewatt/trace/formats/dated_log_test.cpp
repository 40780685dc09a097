#include "truewatt/trace/formats/dated_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;

/// Ten seconds at UTC+2; 2023-07-14 10:10:26 UTC is 1689329426.
constexpr std::string_view kDatedLog =
    "timestamp, power.draw [W]\n"
    "2023/07/14 12:10:26.000, 50.00\n"
    "2023/07/14 12:10:36.000, 51.00\n";
constexpr std::string_view kDatedEvents = "1689329427000000\n1689329430000000\n1689329435000000\n";

HostTime at_second(int second) { return HostTime(std::chrono::seconds(1'689'329'426 + second)); }

TEST(DatedLog, OffsetIsFoundFromEventsAndWindowsArePlaced) {
  const auto events = parse_event_stamps(kDatedEvents);
  ASSERT_TRUE(events);
  const auto data = read_dated_log(kDatedLog, {std::nullopt, load_windows(*events), events->edges});
  ASSERT_TRUE(data);
  EXPECT_EQ(data->utc_offset, minutes(120));
  const Recording& recording = data->recordings.at(0);
  EXPECT_EQ(recording.traces[0].begin, at_second(0));
  ASSERT_EQ(recording.windows.size(), 1U);
  EXPECT_EQ(recording.windows[0].begin, at_second(1));
  ASSERT_EQ(recording.activity.size(), 1U);
  EXPECT_EQ(recording.activity[0].end, at_second(4));
  EXPECT_EQ(data->utc_offset_from, "windows");
  EXPECT_THAT(data->warnings, testing::ElementsAre(HasSubstr("UTC+02:00")));
}

TEST(DatedLog, GivenOffsetIsTakenAsItIs) {
  const auto events = parse_event_stamps(kDatedEvents);
  ASSERT_TRUE(events);
  const auto data = read_dated_log(kDatedLog, {minutes(60), load_windows(*events), events->edges});
  ASSERT_TRUE(data);
  EXPECT_EQ(data->recordings.at(0).traces[0].begin, at_second(3600));
  ASSERT_EQ(data->warnings.size(), 1U);
  EXPECT_THAT(data->warnings[0], HasSubstr("+01:00"));
}

TEST(DatedLog, WindowsFromTheFirstReadingNeedNoOffset) {
  const auto list = read_windows("begin_s,end_s\n1,2\n");
  ASSERT_TRUE(list);
  const auto data = read_dated_log(kDatedLog, {std::nullopt, *list, {}});
  ASSERT_TRUE(data);
  EXPECT_FALSE(data->utc_offset);
  EXPECT_EQ(data->recordings.at(0).windows.at(0).begin, at_second(7201));
  EXPECT_TRUE(data->recordings[0].activity.empty());
  EXPECT_TRUE(data->warnings.empty());
}

TEST(DatedLog, StampsThatSayTheirOffsetNeedNone) {
  const auto list = read_windows("begin_s,end_s\n1689329427,1689329430\n");
  ASSERT_TRUE(list);
  const auto data = read_dated_log(
      "timestamp, power.draw [W]\n"
      "2023-07-14T12:10:26.000+02:00, 50.00\n"
      "2023-07-14T12:10:36.000+02:00, 51.00\n",
      {std::nullopt, *list, edges_of(*list)});
  ASSERT_TRUE(data);
  EXPECT_EQ(data->utc_offset, minutes(120));
  EXPECT_EQ(data->utc_offset_from, "stamps");
  EXPECT_EQ(data->recordings.at(0).windows.at(0).begin, at_second(1));
}

TEST(DatedLog, EventsThatFitNowhereAreAnError) {
  const auto events = parse_event_stamps("1689329427000000\n1689330427000000\n");
  ASSERT_TRUE(events);
  EXPECT_EQ(read_dated_log(kDatedLog, {std::nullopt, std::nullopt, events->edges}).error().code,
            Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::trace
