#include "truewatt/energy/former/padded_energy.hpp"

#include <gtest/gtest.h>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

PaddedInput window(double begin, double end) {
  PaddedInput input;
  input.begin = begin;
  input.end = end;
  input.quantum = 0.001;
  return input;
}

std::vector<ticks::Tick> counts(double phase, double begin = 2.0, double end = 5.0) {
  return ticks::publications(make_trace(kCounter, 0.1 + phase, 7.0, 0.1, step_counter(begin, end)),
                             at(0));
}

TEST(CounterDifference, CostsNothingForTicksThatMissTheEdges) {
  for (const double phase : {0.0, 0.013, 0.05, 0.099}) {
    const auto energy = counter_difference(counts(phase), window(2.0, 5.0));
    ASSERT_TRUE(energy);
    // 3 s at 300 W. Quantum 1 mJ, brackets 0.5 ms * 100 W = 14 mJ per tick, averaged over ~10.
    EXPECT_NEAR(energy->gross_j.value, 900.0, 0.01) << phase;
    EXPECT_NEAR(energy->net_j.value, 600.0, 0.01) << phase;
    EXPECT_NEAR(energy->baseline_w.value, 100.0, 0.01) << phase;
  }
}

TEST(CounterDifference, IntervalCoversTheTruthUnderTickJitter) {
  int covered = 0;
  const int trials = 600;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937 rng(static_cast<unsigned>(trial));
    std::normal_distribution<double> jitter(0.0, 0.0006);
    const auto truth = step_counter(2.0, 5.0);
    // The counter looks a little earlier or later than it publishes: 0.06 J at 100 W.
    const auto trace =
        make_trace(kCounter, 0.1, 7.0, 0.1, [&](double t) { return truth(t + jitter(rng)); });
    const auto energy = counter_difference(ticks::publications(trace, at(0)), window(2.0, 5.0));
    ASSERT_TRUE(energy);
    const Interval interval = interval95(energy->gross_j);
    covered += interval.lower <= 900 && 900 <= interval.upper ? 1 : 0;
  }
  // Lines through about ten points use their own scatter: 95 % of the normal is 92 % there.
  EXPECT_GT(covered / static_cast<double>(trials), 0.90);
  EXPECT_LT(covered / static_cast<double>(trials), 0.99);
}

TEST(CounterDifference, IsEquivariantUnderTimeShift) {
  const auto early = counter_difference(counts(0.0), window(2.0, 5.0));
  std::vector<ticks::Tick> shifted = counts(0.0);
  for (ticks::Tick& tick : shifted) tick.time += 1e6;
  const auto late = counter_difference(shifted, window(1e6 + 2, 1e6 + 5));
  EXPECT_NEAR(early->gross_j.value, late->gross_j.value, 1e-5);
}

TEST(CounterDifference, SaysWhenTheLoadFillsTheRecord) {
  const auto energy = counter_difference(counts(0.0, 0.0, 8.0), window(0.2, 6.9));
  ASSERT_FALSE(energy);
  EXPECT_EQ(energy.error().code, Errc::ill_conditioned);
}

TEST(CounterDifference, TakesTheIdleFromElsewhereWhenTold) {
  std::vector<ticks::Tick> ticks = counts(0.0);
  std::erase_if(ticks, [](const ticks::Tick& tick) { return tick.time < 1.85; });
  EXPECT_FALSE(counter_difference(ticks, window(2.0, 5.0)));
  PaddedInput input = window(2.0, 5.0);
  input.idle_before_w = Uncertain{100.0, 5.0};
  const auto energy = counter_difference(ticks, input);
  ASSERT_TRUE(energy);
  // At most 0.1 s to the nearest tick, whose bracket is 0.5 ms wide.
  EXPECT_NEAR(energy->gross_j.value, 900.0, 0.1);
}

std::vector<ticks::Tick> readings(double period, const std::function<double(double)>& power) {
  return ticks::publications(make_trace(kInstant, period, 9.0, period, power, 1e-6), at(0));
}

TEST(PaddedSum, IsExactForAWindowThatSeesEverything) {
  // Boxcar over the whole period: the mean of [t - 0.1, t] of a 100/300 W step at 2.03..5.07.
  const auto mean = [](double t) {
    const auto integral = [](double x) {
      return 100 * x + 200 * (std::clamp(x, 2.03, 5.07) - 2.03);
    };
    return (integral(t) - integral(t - 0.1)) / 0.1;
  };
  PaddedInput input = window(2.03, 5.07);
  input.averaging_window = 0.1;
  input.lag_s = Uncertain{0.05, 0.0};
  const auto energy = padded_sum(readings(0.1, mean), input);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->gross_j.value, 300 * 3.04, 0.01);
  EXPECT_NEAR(energy->net_j.value, 200 * 3.04, 0.01);
}

/// The 95 % interval holds the joules.
bool holds(const Uncertain& energy, double joules) {
  const Interval interval = interval95(energy);
  return interval.lower <= joules && joules <= interval.upper;
}

TEST(PaddedSum, CountsALagBackFromItsTail) {
  const auto lagged = [](double t) {
    if (t < 2) return 100.0;
    const double peak = 100 + 200 * (1 - std::exp(-3.0 / 0.05));
    return t < 5 ? 100 + 200 * (1 - std::exp(-(t - 2) / 0.05))
                 : 100 + (peak - 100) * std::exp(-(t - 5) / 0.05);
  };
  PaddedInput input = window(2.0, 5.0);
  input.quantum = 0.1;
  // As much is missing at the begin as shows after the end: a lag, though nobody says so.
  const auto unknown = padded_sum(readings(0.02, lagged), input);
  ASSERT_TRUE(unknown);
  EXPECT_NEAR(unknown->gross_j.value, 900.0, 1.0);
  EXPECT_TRUE(holds(unknown->gross_j, 900.0));
  input.lag_s = Uncertain{0.05, 0.0};
  const auto energy = padded_sum(readings(0.02, lagged), input);
  ASSERT_TRUE(energy);
  // Readings every 20 ms of a 50 ms exponential: backward sums cancel between rise and fall.
  EXPECT_NEAR(energy->gross_j.value, 900.0, 1.0);
  EXPECT_LT(energy->gross_j.standard_uncertainty, unknown->gross_j.standard_uncertainty);
}

TEST(PaddedSum, ActiveIdleAfterTheLoadIsInTheInterval) {
  // 300 W in the window; then 130 W for 0.6 s before the idle of 100 W: 18 J that are not its own.
  const auto board = [](double t) {
    if (t <= 2) return 100.0;
    return t <= 5 ? 300.0 : t <= 5.6 ? 130.0 : 100.0;
  };
  PaddedInput input = window(2.0, 5.0);
  input.quantum = 0.1;
  const auto energy = padded_sum(readings(0.02, board), input);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->gross_j.value, 900.0, 2.0);
  EXPECT_TRUE(holds(energy->gross_j, 900.0));
}

TEST(PaddedSum, ALateSensorsPlateauIsNotIdle) {
  // The whole 3 s show up 0.3 s late.
  const auto late = [](double t) { return t > 2.3 && t <= 5.3 ? 300.0 : 100.0; };
  PaddedInput input = window(2.0, 5.0);
  input.quantum = 0.1;
  const auto energy = padded_sum(readings(0.02, late), input);
  ASSERT_TRUE(energy);
  EXPECT_NEAR(energy->gross_j.value, 900.0, 8.0);
  EXPECT_GE(interval95(energy->gross_j).upper, 900.0);
}

TEST(PaddedSum, AnotherLoadIsNotTakenForATail) {
  const auto longer = [](double t) { return t > 2 && t <= 7.5 ? 300.0 : 100.0; };
  PaddedInput input = window(2.0, 5.0);
  input.quantum = 0.1;
  EXPECT_FALSE(padded_sum(readings(0.02, longer), input));
}

TEST(PaddedSum, AnUnknownLagIsInTheIntervalWhereTheIdleChanges) {
  // Idle 50 W before and 90 W after, lag 0.1 s: 4 J hide in the lag.
  const auto lagged = [](double t) {
    if (t < 2) return 50.0;
    const double peak = 50 + 250 * (1 - std::exp(-3.0 / 0.1));
    return t < 5 ? 50 + 250 * (1 - std::exp(-(t - 2) / 0.1))
                 : 90 + (peak - 90) * std::exp(-(t - 5) / 0.1);
  };
  PaddedInput input = window(2.0, 5.0);
  input.quantum = 0.1;
  const auto energy = padded_sum(readings(0.02, lagged), input);
  ASSERT_TRUE(energy);
  EXPECT_TRUE(holds(energy->gross_j, 900.0));
}

// Work of 0.12 s shows as less than the watt that readings are rounded to: in some readings, or in
// none, by where idle lies between two steps.
TEST(PaddedSum, WhatIsBelowTheQuantumIsInTheInterval) {
  int covered = 0;
  const int trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937 rng(static_cast<unsigned>(trial));
    std::uniform_real_distribution<double> share(0.0, 1.0);
    const double idle = 58.0 + share(rng);
    const double begin = 2.0 + 0.05 * share(rng);
    const double end = begin + 0.12;
    const auto rounded = [&](double t) {
      const double busy = std::clamp(t, begin, end) - std::clamp(t - 0.5, begin, end);
      return std::round(idle + 3 * busy / 0.5);
    };
    PaddedInput input = window(begin, end);
    input.quantum = 1.0;
    input.update_period = 0.05;
    std::vector<ticks::Tick> ring;  // which tells of every reading, new or not
    for (int k = 0; k < 100; ++k) ring.push_back({0.05 * k, 0.0, rounded(0.05 * k)});
    const auto energy = padded_sum(ring, input);
    ASSERT_TRUE(energy);
    EXPECT_GT(energy->gross_j.standard_uncertainty, 0.02 * energy->gross_j.value) << trial;
    covered += holds(energy->gross_j, (idle + 3) * 0.12) ? 1 : 0;
  }
  EXPECT_GT(covered, 0.95 * trials);
}

TEST(PaddedSum, VarianceOfWhatWasNotSeenCoversRandomLoads) {
  int covered = 0;
  const int trials = 300;
  for (int trial = 0; trial < trials; ++trial) {
    std::mt19937 rng(static_cast<unsigned>(trial));
    std::uniform_real_distribution<double> length(0.03, 0.3);
    std::vector<double> edges = {2.0};
    while (edges.back() < 5.0) edges.push_back(std::min(5.0, edges.back() + length(rng)));
    double truth = 0.0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      truth += (edges[i + 1] - edges[i]) * (i % 2 == 0 ? 300 : 100);
    }
    const auto power = [&edges](double t) {
      const auto passed = std::upper_bound(edges.begin(), edges.end(), t) - edges.begin();
      return passed % 2 == 1 && t < 5.0 ? 300.0 : 100.0;
    };
    const auto energy = padded_sum(readings(0.1, power), window(2.0, 5.0));
    ASSERT_TRUE(energy);
    const Interval interval = interval95(energy->gross_j);
    covered += interval.lower <= truth && truth <= interval.upper ? 1 : 0;
  }
  // Conservative by construction (method, section 6: rms error 0.64 u on such loads).
  EXPECT_GT(covered / static_cast<double>(trials), 0.95);
}

}  // namespace
}  // namespace truewatt::energy
