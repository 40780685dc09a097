#include "truewatt/energy/observe/known_spans.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

const std::vector<TimeSpan> kWork{{2.0, 3.5}, {5.0, 5.6}};

/// 60 W, and 240 W more of the work, behind a filter.
double joules_until(double t, double constant) {
  double joules = 60 * t;
  for (const TimeSpan& one : kWork) {
    for (const auto& [edge, sign] : {std::pair(one.begin, 1.0), std::pair(one.end, -1.0)}) {
      const double since = t - edge;
      if (since <= 0) continue;
      const double behind = constant > 0 ? constant * (1 - std::exp(-since / constant)) : 0.0;
      joules += sign * 240 * (since - behind);
    }
  }
  return joules;
}

/// Means over all of a period, `late`, behind a filter; as a source that nobody characterized.
ObservedSource source_of(double period, double late, double constant, double scatter = 0.3) {
  std::mt19937_64 rng(5);
  std::normal_distribution<double> noise(0.0, scatter);
  ObservedSource source;
  source.scatter = source.scatter_at_rest = scatter;
  source.look = Look::average;
  source.period = period;
  source.window = period;
  source.age_sd = 0.3 * period;
  source.lag_sd = 0.006;
  for (double t = 0.037; t < 8; t += period) {
    const double end = t - late;
    const double joules = joules_until(end, constant) - joules_until(end - period, constant);
    source.readings.push_back({.time = t, .value = joules / period + noise(rng)});
  }
  return source;
}

TEST(KnownSpans, TellHowLateASourceIs) {
  for (const double period : {0.005, 0.02, 0.1}) {
    for (const double late : {0.07, 0.2, 0.4}) {
      const auto seen = seen_late(source_of(period, late, 0.0), kWork);
      ASSERT_TRUE(seen) << period << " " << late;
      EXPECT_NEAR(seen->later_s, late, 0.02 * period) << period;
      EXPECT_EQ(seen->time_constant, 0.0);
      EXPECT_LT(seen->later_sd, period);
    }
  }
}

TEST(KnownSpans, TellTheFilterOfASource) {
  for (const double constant : {0.1, 0.84}) {
    const auto seen = seen_late(source_of(0.02, 0.05, constant), kWork);
    ASSERT_TRUE(seen) << constant;
    EXPECT_NEAR(seen->time_constant, constant, 0.02 * constant);
    EXPECT_NEAR(seen->later_s, 0.05, 0.01 * constant + 0.002);
    EXPECT_LT(seen->constant_sd, 0.05 * constant);
  }
}

// Readings that scatter by 5 % of the work leave shifts of 60 ms that fit as well as 1.5 times the
// scatter does: they are told from each other by much less.
TEST(KnownSpans, TellTheFilterOfReadingsThatScatter) {
  for (const double constant : {0.3, 0.84}) {
    const auto seen = seen_late(source_of(0.015, 0.05, constant, 12.0), kWork);
    ASSERT_TRUE(seen) << constant;
    EXPECT_GT(seen->constant_sd, 0.0);
    EXPECT_NEAR(seen->time_constant, constant, 2 * seen->constant_sd);
    EXPECT_LT(seen->constant_sd, 0.1 * constant);
    EXPECT_NEAR(seen->later_s, 0.05, 2 * seen->later_sd + 0.1 * constant);
  }
}

TEST(KnownSpans, ExcludeASlowFilter) {
  ObservedBoard board;
  board.sources = {source_of(0.1, 0.0, 0.0, 12.0)};
  board.sources[0].time_constant = board.sources[0].lag_sd = 0.4;
  place_by_known_work(board, kWork);
  EXPECT_EQ(board.sources[0].time_constant, 0.0);
  EXPECT_LT(board.sources[0].lag_sd, 0.1);
}

TEST(KnownSpans, LeaveASourceAsItIsAssumed) {
  EXPECT_FALSE(seen_late(source_of(0.1, 0.0, 0.0), kWork));
  EXPECT_FALSE(seen_late(source_of(0.1, 0.03, 0.0), kWork)) << "a standard uncertainty";
}

// Work that repeats with the readings looks the same at every whole period.
TEST(KnownSpans, DoNotTellBetweenWholePeriods) {
  std::vector<TimeSpan> train;
  ObservedSource source = source_of(0.1, 0.0, 0.0);
  for (double t = -10; t < 20; t += 0.2) train.push_back({t, t + 0.1});
  for (ObservedReading& reading : source.readings) {
    reading.value = std::fmod(reading.time - 0.06 + 10, 0.2) < 0.1 ? 60.0 : 300.0;
  }
  EXPECT_FALSE(seen_late(source, train));
}

TEST(KnownSpans, ShiftTheReadingsOfThoseThatNobodyCharacterized) {
  ObservedBoard board;
  board.sources = {source_of(0.02, 0.2, 0.0), source_of(0.02, 0.2, 0.0)};
  board.sources[1].is_characterized = true;
  place_by_known_work(board, kWork);
  EXPECT_NEAR(board.sources[0].readings.front().time, 0.037 - 0.2, 1e-3);
  EXPECT_NEAR(board.sources[0].delay, 0.2, 1e-3);
  EXPECT_EQ(board.sources[1].readings.front().time, 0.037);
}

}  // namespace
}  // namespace truewatt::energy
