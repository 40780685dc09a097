#include "truewatt/energy/observe/count_faults.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "truewatt/energy/observe/physical_limits.hpp"
#include "truewatt/energy/observe/placed_readings.hpp"

namespace truewatt::energy {
namespace {

constexpr double kRatedW = 400.0;

HostTime moment(double seconds) { return HostTime() + to_nanoseconds(Seconds(seconds)); }

/// A counter of 300 W, read 500 times a second for 20 s, or not from `unread` on for `length`; its
/// counts are of ticks of 0.1 s as `shown` has them.
template <class Shown>
Trace counted_trace(Shown shown, double unread = 99, double length = 0) {
  Trace trace{
      .source = {SourceKind::energy_counter, Scope::gpu}, .begin = moment(0), .end = moment(20)};
  double polled = 0.0;
  for (int k = 0; k < 10000; ++k) {
    const double t = 0.002 * k;
    if (t > unread && t < unread + length) continue;
    const double count = shown(0.1 * (k / 50));
    ++trace.polls;
    if (trace.samples.empty() || trace.samples.back().value != count) {
      trace.samples.push_back({moment(polled), moment(t), std::nullopt, count});
    }
    polled = t;
  }
  return trace;
}

std::ptrdiff_t firsts_of(const Trace& trace) {
  const Placed placed = placed_readings(trace, moment(0), 0.1, kRatedW);
  return std::count_if(placed.readings.begin(), placed.readings.end(),
                       [](const ObservedReading& reading) { return reading.is_first; });
}

double counted(double t) { return 1e6 + 300 * t; }

TEST(BeginAnew, ACountThatStoodAndDidNotMakeUpForIt) {
  EXPECT_EQ(firsts_of(counted_trace(counted)), 1);
  const auto stands = [](double t) { return counted(t < 8 ? t : t < 10 ? 8 : t - 2); };
  EXPECT_EQ(firsts_of(counted_trace(stands)), 2);
  const auto makes_up = [](double t) { return counted(t < 8 || t > 10 ? t : 8); };
  EXPECT_EQ(firsts_of(counted_trace(makes_up)), 1);
}

// Rows every 80 ms of a counter that ticks every 0.1 s show one tick in five twice. Where the power
// steps with the rows, these may be the low ones.
TEST(BeginAnew, NotWhereRowsAreNearerThanTicks) {
  for (const double apart : {0.07, 0.08, 0.09, 0.095}) {
    Trace trace{
        .source = {SourceKind::energy_counter, Scope::gpu}, .begin = moment(0), .end = moment(60)};
    double joules = 1000.0;
    double tick = 0.0;
    double polled = 0.0;
    for (double t = apart; t < 60; t += apart) {
      for (; tick + 0.1 <= t; tick += 0.1) joules += 0.1 * (std::fmod(tick, 0.8) < 0.7 ? 400 : 90);
      ++trace.polls;
      if (trace.samples.empty() || trace.samples.back().value != joules) {
        trace.samples.push_back({moment(polled), moment(t), std::nullopt, joules});
      }
      polled = t;
    }
    EXPECT_EQ(firsts_of(trace), 1) << apart;
    const Placed unknown = placed_readings(trace, moment(0), 0.0, kRatedW);
    EXPECT_EQ(std::count_if(unknown.readings.begin(), unknown.readings.end(),
                            [](const ObservedReading& reading) { return reading.is_first; }),
              1)
        << apart;
  }
}

TEST(BeginAnew, ACountNearZeroBehindAHole) {
  const auto begun = [](double t) { return 300 * (t < 6 ? t : t - 5.5); };
  EXPECT_EQ(firsts_of(counted_trace(begun, 1, 6)), 2);
  EXPECT_EQ(firsts_of(counted_trace(counted, 1, 6)), 1) << "all that cannot be counted in a hole";
}

TEST(CountLeaps, AreLeftOutBesideAPowerSourceAlone) {
  ObservedBoard board;
  ObservedSource counter{.look = Look::counter, .period = 1.0};
  ObservedSource power{.period = 1.0};
  for (int k = 0; k < 60; ++k) {
    const double watts = k > 20 && k < 40 ? 310.0 : 70.0;
    power.readings.push_back({.time = 1.0 * k, .value = watts});
    const double leap = k == 30 ? 500.0 : 0.0;
    counter.readings.push_back({.time = 1.0 * k, .value = watts + leap, .is_first = k == 0});
  }
  board.sources = {counter};
  leave_out_leaps(board, 310.0);
  EXPECT_TRUE(board.leaps.empty()) << "a counter alone";
  board.sources.push_back(power);
  leave_out_leaps(board, 310.0);
  ASSERT_EQ(board.leaps.size(), 1);
  EXPECT_NEAR(board.leaps.front().joules, 500.0, 1e-9);
  EXPECT_EQ(board.leaps.front().span.end, 30.0);
  EXPECT_TRUE(board.sources.front().readings[30].is_first);
}

// Work that a power source kept in step with and never saw is counted again and again.
TEST(CountLeaps, AreNotCountsThatComeOftenThoughNoPowerSourceShowsThem) {
  ObservedBoard board;
  ObservedSource counter{.look = Look::counter, .period = 0.1};
  ObservedSource power{.period = 0.1};
  for (int k = 0; k < 300; ++k) {
    power.readings.push_back({.time = 0.1 * k, .value = 70.0});
    counter.readings.push_back({0.1 * k, 0.0, k % 20 == 0 ? 40.0 : 7.0});
  }
  board.sources = {counter, power};
  leave_out_leaps(board, 310.0);
  EXPECT_TRUE(board.leaps.empty());
}

TEST(MostDrawn, FallsFromThreeTimesTheLimit) {
  EXPECT_NEAR(most_drawn_in(1e-4, kRatedW), 3 * 0.04, 1e-9);
  EXPECT_NEAR(most_drawn_in(0.01, kRatedW), 2 * 4.0, 1e-9);
  EXPECT_NEAR(most_drawn_in(0.1, kRatedW), 1.5 * 40.0, 1e-9);
  EXPECT_NEAR(most_drawn_in(10.0, kRatedW), 1.25 * 4000.0, 1e-9);
}

}  // namespace
}  // namespace truewatt::energy
