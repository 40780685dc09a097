#include "truewatt/energy/estimate/hidden_bursts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

constexpr double kBetween = 50.0;
constexpr double kInBurst = 250.0;
constexpr double kProgram = 600.0;

/// Bursts of 0.3 s about every 4 s, at random.
std::vector<TimeSpan> bursts_at_random(std::mt19937_64& rng) {
  std::exponential_distribution<double> gap(1 / 3.7);
  std::vector<TimeSpan> bursts;
  for (double t = gap(rng); t < kProgram; t += 0.3 + gap(rng)) bursts.push_back({t, t + 0.3});
  return bursts;
}

double joules_of(const std::vector<TimeSpan>& bursts, double begin, double end) {
  double joules = kBetween * (end - begin);
  for (const TimeSpan& one : bursts) {
    const double within = std::min(one.end, end) - std::max(one.begin, begin);
    joules += (kInBurst - kBetween) * std::max(0.0, within);
  }
  return joules;
}

/// A sensor that looks for 50 ms and is read every `distance` seconds.
ObservedBoard polled_board(const std::vector<TimeSpan>& bursts, double distance) {
  constexpr double kLook = 0.05;
  ObservedSource source{.look = Look::average, .period = distance, .window = kLook};
  for (double t = 1.0; t < kProgram; t += distance) {
    source.readings.push_back({.time = t, .value = joules_of(bursts, t - kLook, t) / kLook});
  }
  ObservedBoard board;
  board.sources = {source};
  return board;
}

TEST(HiddenBursts, AreAsManyAsThePollsMissElsewhere) {
  std::mt19937_64 rng(1);
  int held = 0;
  int all = 0;
  double squares = 0.0;
  for (int run = 0; run < 20; ++run) {
    const std::vector<TimeSpan> bursts = bursts_at_random(rng);
    const ObservedBoard board = polled_board(bursts, 2.0);
    const auto hidden = hidden_bursts(board);
    ASSERT_TRUE(hidden);
    const double sd = hidden->sd_within(20.0);
    for (double begin = 10.0; begin + 20.0 < kProgram; begin += 20.0) {
      // What the readings say, each held for its distance.
      double told = 0.0;
      for (const ObservedReading& reading : board.sources.front().readings) {
        if (reading.time > begin && reading.time <= begin + 20.0) told += 2.0 * reading.value;
      }
      const double off = told - joules_of(bursts, begin, begin + 20.0);
      held += std::abs(off) <= 2 * sd ? 1 : 0;
      squares += std::pow(off / sd, 2);
      ++all;
    }
  }
  EXPECT_GT(held, 0.9 * all);
  EXPECT_NEAR(std::sqrt(squares / all), 1.0, 0.25) << "no wider than it must be";
}

TEST(HiddenBursts, StretchesThatSeveralReadingsShowHideNothing) {
  const ObservedBoard board = polled_board({{100.0, 200.0}, {300.0, 420.0}}, 2.0);
  ASSERT_TRUE(hidden_bursts(board));
  EXPECT_EQ(hidden_bursts(board)->sd_within(20.0), 0.0);
}

TEST(HiddenBursts, AreLeftToTheCourseWherePollsAreFastOrAllIsCounted) {
  std::mt19937_64 rng(1);
  const std::vector<TimeSpan> bursts = bursts_at_random(rng);
  EXPECT_FALSE(hidden_bursts(polled_board(bursts, 0.1)));
  ObservedBoard board = polled_board(bursts, 2.0);
  ObservedSource counter = board.sources.front();
  counter.look = Look::counter;
  board.sources.push_back(counter);
  EXPECT_FALSE(hidden_bursts(board));
}

}  // namespace
}  // namespace truewatt::energy
