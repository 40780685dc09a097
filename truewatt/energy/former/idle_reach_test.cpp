#include "truewatt/energy/former/idle_reach.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

constexpr double kLoadBegin = 8.0;  // s
constexpr double kMargin = 1.05;
constexpr double kRingNoise = 0.3;      // W
constexpr double kCounterNoise = 0.06;  // J at a tick

/// Of an H200, behind its filter of 13 ms.
SourceView source_of(SourceKind kind, double period) {
  return {.source = {kind, Scope::gpu},
          .model = {.update_period = Seconds(period), .time_constant = Seconds(0.013)}};
}

/// Its ring at `idle(t)`, from 0 until the load.
template <class Idle>
SourceView ring(Idle idle, unsigned seed) {
  SourceView view = source_of(SourceKind::power_samples, 0.02);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, kRingNoise);
  for (double t = 0.02; t < kLoadBegin; t += 0.02) {
    view.ticks.push_back({t, 0.0, idle(t) + noise(random)});
  }
  return view;
}

/// Its counter: a tick each 100 ms, off by as much as its tick jitters.
template <class Idle>
SourceView counter(Idle idle, unsigned seed) {
  SourceView view = source_of(SourceKind::energy_counter, 0.1);
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0.0, kCounterNoise);
  double count = 0.0;
  for (double t = 0.0; t < kLoadBegin; t += 0.1) {
    view.ticks.push_back({t, 0.0, count + noise(random)});
    count += 0.1 * idle(t);
  }
  return view;
}

double reach(const std::vector<SourceView>& views) {
  return idle_reach(views, IdleSide::before, kLoadBegin, kMargin);
}

double rest(double) { return 124.0; }

// 3 standard uncertainties, five blocks, two sources: 3 % stop for nothing.
TEST(IdleReach, IsFollowedForFourSeconds) {
  int whole = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const double found = reach({ring(rest, seed), counter(rest, seed + 1000)});
    EXPECT_GE(found, kMargin);
    EXPECT_LE(found, 4.0);
    whole += found > 3.5;
  }
  EXPECT_GE(whole, 180);
}

// 0.5 W are seven standard uncertainties of half a second of the ring; the half second in which it
// begins may pass.
TEST(IdleReach, EndsWhereAContextBegan) {
  const auto context = [](double t) { return t < kLoadBegin - 2.3 ? 123.5 : 124.0; };
  for (unsigned seed = 0; seed < 50; ++seed) {
    EXPECT_LE(reach({ring(context, seed), counter(rest, seed)}), kMargin + 1.5 + 1e-9);
  }
  const auto large = [](double t) { return t < kLoadBegin - 1.1 ? 80.0 : 124.0; };
  for (unsigned seed = 0; seed < 50; ++seed) EXPECT_EQ(reach({counter(large, seed)}), kMargin);
}

TEST(IdleReach, EndsWithTheReadings) {
  auto short_ring = ring(rest, 1);
  std::erase_if(short_ring.ticks,
                [](const ticks::Tick& tick) { return tick.time < kLoadBegin - 1.1; });
  EXPECT_EQ(reach({short_ring}), kMargin);
}

TEST(IdleReach, IsNotToldByASourceThatRemembersLong) {
  auto average = ring(rest, 1);
  average.model.averaging_window = Seconds(1.0);
  EXPECT_EQ(reach({average}), kMargin);
  auto rare = ring(rest, 1);
  rare.model.update_period = Seconds(0.5);
  EXPECT_EQ(reach({rare}), kMargin);
}

TEST(IdleReach, BehindTheLoadForgetsTheLoadFirst) {
  // The filter of the ring shows e^-3 of 200 W 40 ms after the end: within its memory it is not
  // asked.
  const auto glow = [](double t) {
    return 124.0 + 200.0 * std::exp(-(t - 0.9) / 0.013) * (t > 0.9);
  };
  const auto view = ring(glow, 3);
  EXPECT_GT(idle_reach({view}, IdleSide::after, 0.9, 0.95), 3.0);
}

}  // namespace
}  // namespace truewatt::energy
