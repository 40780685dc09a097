#include "truewatt/base/clock_alignment.hpp"

#include <gtest/gtest.h>

namespace truewatt {
namespace {

using namespace std::chrono_literals;

ClockPair pair_at(std::chrono::nanoseconds host, std::chrono::nanoseconds offset) {
  return {HostTime(host), DriverTime(host + offset), 2us};
}

TEST(ClockAlignment, InterpolatesASlewingOffset) {
  const ClockAlignment alignment({pair_at(0s, 100s), pair_at(10s, 100s + 1ms)});
  EXPECT_EQ(alignment.to_driver(HostTime(5s)), DriverTime(105s + 500us));
  EXPECT_EQ(alignment.to_host(DriverTime(105s + 500us)), HostTime(5s));
  EXPECT_TRUE(alignment.steps().empty());
  EXPECT_EQ(alignment.uncertainty(), 1us);
}

TEST(ClockAlignment, HoldsTheOffsetOutsideItsPairs) {
  const ClockAlignment alignment({pair_at(1s, 50s), pair_at(2s, 50s)});
  EXPECT_EQ(alignment.to_driver(HostTime(0s)), DriverTime(50s));
  EXPECT_EQ(alignment.to_host(DriverTime(60s)), HostTime(10s));
}

TEST(ClockAlignment, ReportsAStepOfRealtime) {
  const ClockAlignment alignment({pair_at(0s, 100s), pair_at(1s, 100s), pair_at(2s, 3700s)});
  ASSERT_EQ(alignment.steps().size(), 1U);
  EXPECT_EQ(alignment.steps().front(), HostTime(2s));
}

TEST(ClockAlignment, PlacesAStampInTheStretchThatShowsIt) {
  // Set back by 500 s after 10 s.
  const ClockAlignment alignment(
      {pair_at(0s, 1000s), pair_at(10s, 1000s), pair_at(11s, 500s), pair_at(21s, 500s)});
  EXPECT_EQ(alignment.to_host(DriverTime(1005s)), HostTime(5s));
  EXPECT_EQ(alignment.to_host(DriverTime(515s)), HostTime(15s));
  EXPECT_EQ(alignment.to_host(DriverTime(522s)), HostTime(22s)) << "nearest";
  EXPECT_EQ(alignment.to_host(DriverTime(1010s + 500ms)), HostTime(10s + 500ms)) << "nearest";
  EXPECT_EQ(alignment.to_host(DriverTime(999s)), HostTime(-1s)) << "nearest";
}

TEST(ClockAlignment, KnowsNothingWithoutPairs) {
  EXPECT_FALSE(ClockAlignment({}).to_host(DriverTime(1s)).has_value());
}

}  // namespace
}  // namespace truewatt
