#include "truewatt/trace/formats/stamps/log_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

std::vector<DriverTime> stamps(std::initializer_list<int> ms) {
  std::vector<DriverTime> all;
  for (const int one : ms) all.emplace_back(milliseconds(one));
  return all;
}

std::vector<std::int64_t> host_ms(const LogTimes& times) {
  std::vector<std::int64_t> all;
  for (const HostTime time : times.host) all.push_back(count_ns(time) / 1'000'000);
  return all;
}

TEST(LogClock, StampsThatRiseAreTheAxis) {
  const LogTimes times = place_rows(stamps({1000, 1010, 1010, 1020}));
  EXPECT_THAT(host_ms(times), ElementsAre(1000, 1010, 1010, 1020));
  ASSERT_EQ(times.clock_pairs.size(), 1U);
  EXPECT_EQ(count_ns(times.clock_pairs[0].host), count_ns(times.clock_pairs[0].driver));
  EXPECT_TRUE(times.steps.empty());
}

TEST(LogClock, ClockSetBackGoesOnByTheUsualDistance) {
  const LogTimes times = place_rows(stamps({5000, 5010, 5020, 2000, 2010, 2020}));
  EXPECT_THAT(host_ms(times), ElementsAre(5000, 5010, 5020, 5030, 5040, 5050));
  EXPECT_THAT(times.steps, ElementsAre(3U));
}

TEST(LogClock, StepShowsInTheClockPairs) {
  const LogTimes times = place_rows(stamps({5000, 5010, 5020, 2000, 2010, 2020}));
  const ClockAlignment clock(times.clock_pairs);
  EXPECT_EQ(clock.steps().size(), 1U);
  EXPECT_EQ(clock.to_driver(HostTime(milliseconds(5040))), DriverTime(milliseconds(2010)));
  EXPECT_EQ(clock.to_driver(HostTime(milliseconds(5010))), DriverTime(milliseconds(5010)));
}

TEST(LogClock, ClockThatIsSetForwardAgainEndsTheShift) {
  const LogTimes times = place_rows(stamps({5000, 5010, 2000, 2010, 2020, 5060, 5070}));
  EXPECT_THAT(host_ms(times), ElementsAre(5000, 5010, 5020, 5030, 5040, 5060, 5070));
  EXPECT_THAT(times.steps, ElementsAre(2U, 5U));
}

/// 20 rows 10 ms apart.
std::vector<DriverTime> even_stamps() {
  std::vector<DriverTime> all;
  for (int i = 0; i < 20; ++i) all.emplace_back(milliseconds(1000 + 10 * i));
  return all;
}

TEST(OrderOfRows, IsThatOfTheirStamps) {
  std::vector<DriverTime> rows = even_stamps();
  EXPECT_FALSE(order_of_rows(rows));
  std::swap(rows[2], rows[7]);
  const auto order = order_of_rows(rows);
  ASSERT_TRUE(order);
  EXPECT_EQ((*order)[2], 7U);
  EXPECT_EQ((*order)[7], 2U);
  EXPECT_EQ((*order)[8], 8U);
  std::vector<DriverTime> backwards = even_stamps();
  std::reverse(backwards.begin(), backwards.end());
  ASSERT_TRUE(order_of_rows(backwards));
  EXPECT_EQ(order_of_rows(backwards)->front(), 19U);
}

/// Parts of 20 rows 1 s apart, each so much before the last.
std::vector<DriverTime> parts(int count, Nanoseconds back) {
  std::vector<DriverTime> rows;
  for (int i = 0; i < 20 * count; ++i) {
    rows.push_back(DriverTime(std::chrono::hours(10000) + std::chrono::seconds(i)) -
                   back * (i / 20));
  }
  return rows;
}

TEST(OrderOfRows, PartsOfAClockThatWentBackStandAsTheyWereWritten) {
  using std::chrono::hours;
  for (const Nanoseconds back : {hours(1), hours(5), hours(24 * 400)}) {
    EXPECT_FALSE(order_of_rows(parts(2, back)));
    EXPECT_FALSE(order_of_rows(parts(3, back)));
    const LogTimes times = place_rows(parts(3, back));
    EXPECT_THAT(times.steps, ElementsAre(20U, 40U));
    EXPECT_EQ(times.host.back() - times.host.front(), std::chrono::seconds(59));
    EXPECT_EQ(times.farthest_back, back - std::chrono::seconds(1));
  }
}

TEST(OrderOfRows, PartsWithoutAPauseBetweenThemAreInOrderTheEarlierOneFirst) {
  const auto order = order_of_rows(parts(3, std::chrono::seconds(40)));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->front(), 40U);
  EXPECT_EQ(order->back(), 19U);
}

TEST(LogClock, DatesOfEachPartAreFoundInIt) {
  const auto rows = parts(3, std::chrono::hours(24));
  const LogTimes times = place_rows(rows);
  const ClockAlignment clock(times.clock_pairs);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(clock.to_host(rows[i]), times.host[i]);
}

TEST(OrderOfRows, ClocksThatAreSetAndStampsThatAreWrongHaveNone) {
  std::vector<DriverTime> set = even_stamps();
  for (std::size_t i = 5; i < 20; ++i) set[i] -= milliseconds(i < 12 ? 23 : 46);
  EXPECT_FALSE(order_of_rows(set));
  std::vector<DriverTime> wrong = even_stamps();
  wrong[4] = DriverTime(milliseconds(3));
  wrong[9] = DriverTime(milliseconds(900'000));
  EXPECT_FALSE(order_of_rows(wrong));
  std::vector<DriverTime> once = even_stamps();
  std::rotate(once.begin(), once.begin() + 5, once.end());
  EXPECT_FALSE(order_of_rows(once)) << "a clock that was set back";
}

TEST(SpreadWithinSeconds, RowsOfOneSecondStandEvenlyInIt) {
  std::vector<DriverTime> rows = stamps({1000, 1000, 2000, 2000, 2000, 2000, 3000, 3000, 3000, 3000,
                                         4000, 4000, 4000, 4000, 4000, 5000});
  EXPECT_EQ(spread_within_seconds(rows), 4U);
  EXPECT_EQ(rows[0], DriverTime(milliseconds(1625))) << "its first rows are missing";
  EXPECT_EQ(rows[1], DriverTime(milliseconds(1875)));
  EXPECT_EQ(rows[2], DriverTime(milliseconds(2125)));
  EXPECT_EQ(rows[5], DriverTime(milliseconds(2875)));
  EXPECT_EQ(rows[10], DriverTime(milliseconds(4100))) << "one of five";
  EXPECT_EQ(rows[15], DriverTime(milliseconds(5125))) << "its last rows are missing";
}

TEST(SpreadWithinSeconds, FinerStampsAndOneRowASecondStay) {
  std::vector<DriverTime> finer = stamps({1000, 1000, 1500, 2000});
  EXPECT_EQ(spread_within_seconds(finer), 1U);
  EXPECT_EQ(finer[1], DriverTime(milliseconds(1000)));
  std::vector<DriverTime> single = stamps({1000, 2000, 3000, 3000, 4000});
  EXPECT_EQ(spread_within_seconds(single), 1U);
  EXPECT_EQ(single[3], DriverTime(milliseconds(3000)));
}

TEST(LogClock, LoneRowOffBothNeighboursIsPutBetweenThem) {
  const LogTimes early = place_rows(stamps({1000, 1010, 3, 1030, 1040}));
  EXPECT_THAT(host_ms(early), ElementsAre(1000, 1010, 1020, 1030, 1040));
  EXPECT_THAT(early.steps, ElementsAre(2U));
  const LogTimes late = place_rows(stamps({1000, 1010, 900'000, 1030, 1040}));
  EXPECT_THAT(host_ms(late), ElementsAre(1000, 1010, 1020, 1030, 1040));
  EXPECT_THAT(late.steps, ElementsAre(2U));
}

TEST(LogClock, AxisNeverRunsBackwardsWhateverTheStamps) {
  std::vector<DriverTime> wild;
  std::uint64_t state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    wild.emplace_back(std::chrono::seconds(state % 4'000'000'000ULL));  // 1970 to 2096
  }
  const LogTimes times = place_rows(wild);
  ASSERT_EQ(times.host.size(), wild.size());
  EXPECT_TRUE(std::is_sorted(times.host.begin(), times.host.end()));
}

TEST(LogClock, NoRowsAreNoTimes) { EXPECT_TRUE(place_rows({}).host.empty()); }

}  // namespace
}  // namespace truewatt::trace
