#include "truewatt/energy/aggregate/ratio.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

constexpr double kGain = 0.04;   // of a board nobody calibrated
constexpr double kOffset = 6.0;  // W
constexpr double kIdle = 100.0;  // W

/// A run of `seconds` above idle by `net` J, whose readings are good to `random` J.
EnergyEstimate estimate_of(double seconds, double net, double random, const char* uuid = "GPU-1") {
  EnergyEstimate e;
  e.device.uuid = uuid;
  e.source = SourceId{SourceKind::energy_counter, Scope::gpu};
  e.window = Seconds(seconds);
  const double gross = kIdle * seconds + net;
  const auto filled = [](double value, double sd, double gain) {
    const double all = std::hypot(sd, gain);
    return EnergyInterval{interval95({value, all}), all, gain};
  };
  const double gain = std::hypot(kGain * gross, kOffset * seconds);
  e.energy = filled(gross, random, gain);
  e.net_energy = filled(net, random, kGain * net);
  e.budget = {{uncertainty::Cause::ticks, random}, {uncertainty::Cause::gain, gain}};
  return e;
}

RunPair pair_of(const EnergyEstimate& a, const EnergyEstimate& b) { return {{a}, {b}}; }

const uncertainty::Term* find(const EnergyRatio& ratio, Cause wanted) {
  for (const uncertainty::Term& term : ratio.budget) {
    if (term.cause == wanted) return &term;
  }
  return nullptr;
}

TEST(EnergyRatio, OfOneBoardKnowsNoGain) {
  const std::vector pairs{pair_of(estimate_of(2, 800, 1), estimate_of(2, 900, 1))};
  const auto ratio = energy_ratio(pairs, Quantity::gross);
  ASSERT_TRUE(ratio);
  EXPECT_TRUE(ratio->gain_cancels);
  EXPECT_DOUBLE_EQ(ratio->ratio.value, 1.1);
  EXPECT_EQ(find(*ratio, Cause::gain), nullptr);
  // 12 J of 1000 and of 1100 J.
  ASSERT_NE(find(*ratio, Cause::offset), nullptr);
  EXPECT_NEAR(find(*ratio, Cause::offset)->u, 12.0 / 1000 - 12.0 / 1100, 1e-9);
  EXPECT_NEAR(find(*ratio, Cause::ticks)->u, std::hypot(1.0 / 1000, 1.0 / 1100), 1e-9);
}

// As shares: g sqrt(1 - rho^2) of the gain, o / P + rho g with the offset. In the ratio g cancels.
TEST(EnergyRatio, OfOneBoardWhoseGainAndOffsetErrTogetherKnowsNoGain) {
  const auto scaled = [](EnergyEstimate e) {
    e.scale = ScaleUncertainty{kGain, kOffset, -0.5};
    return e;
  };
  const EnergyEstimate a = scaled(estimate_of(2, 800, 1));
  const EnergyEstimate b = scaled(estimate_of(2, 900, 1));
  const auto ratio = energy_ratio(std::vector{pair_of(a, b)}, Quantity::gross);
  ASSERT_TRUE(ratio);
  const double powers = 2 / a.energy->interval.value - 2 / b.energy->interval.value;
  EXPECT_EQ(find(*ratio, Cause::gain), nullptr);
  ASSERT_NE(find(*ratio, Cause::offset), nullptr);
  EXPECT_NEAR(find(*ratio, Cause::offset)->u, kOffset * powers, 1e-9);
}

TEST(EnergyRatio, OfNetEnergiesKnowsNoOffsetEither) {
  const std::vector pairs{pair_of(estimate_of(2, 800, 1), estimate_of(2, 900, 1))};
  const auto ratio = energy_ratio(pairs, Quantity::net);
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->ratio.value, 900.0 / 800);
  ASSERT_EQ(ratio->budget.size(), 1U);
  EXPECT_EQ(ratio->budget.front().cause, Cause::readings);
}

TEST(EnergyRatio, OfTwoBoardsCarriesBothGains) {
  const std::vector pairs{
      pair_of(estimate_of(2, 800, 1, "GPU-1"), estimate_of(2, 800, 1, "GPU-2"))};
  const auto ratio = energy_ratio(pairs, Quantity::net);
  ASSERT_TRUE(ratio);
  EXPECT_FALSE(ratio->gain_cancels);
  EXPECT_NEAR(find(*ratio, Cause::gain)->u, std::sqrt(2.0) * kGain, 1e-9);
}

TEST(EnergyRatio, OfSeveralBoardsTheGainCancelsAsFarAsTheirSharesAreAlike) {
  const RunPair alike{{estimate_of(2, 800, 1, "1"), estimate_of(2, 400, 1, "2")},
                      {estimate_of(2, 1600, 1, "1"), estimate_of(2, 800, 1, "2")}};
  const RunPair other{{estimate_of(2, 800, 1, "1"), estimate_of(2, 400, 1, "2")},
                      {estimate_of(2, 800, 1, "1"), estimate_of(2, 800, 1, "2")}};
  const auto same = energy_ratio(std::vector{alike}, Quantity::net);
  const auto shifted = energy_ratio(std::vector{other}, Quantity::net);
  ASSERT_TRUE(same && shifted);
  EXPECT_DOUBLE_EQ(same->ratio.value, 2.0);
  EXPECT_EQ(find(*same, Cause::gain), nullptr);
  // Shares of 2/3 and 1/3 against 1/2 and 1/2: each board's gain moves the ratio by a sixth.
  EXPECT_NEAR(find(*shifted, Cause::gain)->u, kGain * std::hypot(1.0 / 6, 1.0 / 6), 1e-9);
}

TEST(EnergyRatio, OfRepeatedRunsCoversByTheirScatter) {
  constexpr int kTrials = 2000;
  for (const int runs : {2, 4, 10}) {
    std::mt19937 rng(static_cast<unsigned>(runs));
    std::normal_distribution<double> error(0.0, 0.01);
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      // Net energies alone scatter: idle is the same on both sides.
      std::vector<RunPair> pairs;
      for (int i = 0; i < runs; ++i) {
        pairs.push_back(pair_of(estimate_of(1, 800 * std::exp(error(rng)), 0),
                                estimate_of(1, 824 * std::exp(error(rng)), 0)));
      }
      const auto ratio = energy_ratio(pairs, Quantity::net);
      covered += ratio->ratio.lower <= 1.03 && 1.03 <= ratio->ratio.upper ? 1 : 0;
    }
    // Three standard deviations of 2000 at 95 %.
    EXPECT_NEAR(covered / static_cast<double>(kTrials), 0.95, 0.015) << runs;
  }
}

TEST(EnergyRatio, OfRunsThatEndedWhenTheyLookedNarrowCoversToo) {
  constexpr int kTrials = 1000;
  constexpr double kWanted = 0.01;
  for (const double scatter : {0.003, 0.01, 0.02}) {
    std::mt19937 rng(7);
    std::normal_distribution<double> error(0.0, scatter);
    int covered = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<RunPair> pairs;
      std::optional<EnergyRatio> ratio;
      do {
        pairs.push_back(
            pair_of(estimate_of(1, 800, 0), estimate_of(1, 824 * std::exp(error(rng)), 0)));
        if (pairs.size() < 5) continue;
        ratio = energy_ratio(pairs, Quantity::net, uncertainty::EndedBy::target);
      } while (!ratio || ratio->ratio.upper - ratio->ratio.value > kWanted);
      covered += ratio->ratio.lower <= 1.03 && 1.03 <= ratio->ratio.upper ? 1 : 0;
    }
    EXPECT_GT(covered / static_cast<double>(kTrials), 0.93) << scatter;
    EXPECT_LT(covered / static_cast<double>(kTrials), 0.985) << scatter;
  }
}

TEST(EnergyRatio, DoesNotMindTheOrderOfDevices) {
  const RunPair straight{{estimate_of(2, 800, 1, "1"), estimate_of(2, 400, 1, "2")},
                         {estimate_of(2, 880, 1, "1"), estimate_of(2, 440, 1, "2")}};
  RunPair crossed = straight;
  std::swap(crossed.b[0], crossed.b[1]);
  const auto ratio = energy_ratio(std::vector{crossed}, Quantity::net);
  ASSERT_TRUE(ratio);
  EXPECT_TRUE(ratio->gain_cancels);
  EXPECT_EQ(find(*ratio, Cause::gain), nullptr);
}

TEST(EnergyRatio, AnotherCalibrationIsAnotherSensor) {
  EnergyEstimate calibrated = estimate_of(2, 800, 1);
  calibrated.budget.back().cause = Cause::calibrated_gain;
  const auto ratio =
      energy_ratio(std::vector{pair_of(calibrated, estimate_of(2, 800, 1))}, Quantity::net);
  ASSERT_TRUE(ratio);
  EXPECT_FALSE(ratio->gain_cancels);
  // Nor does it cancel where only some rounds had it.
  const std::vector mixed{pair_of(estimate_of(2, 800, 1), estimate_of(2, 800, 1)),
                          pair_of(calibrated, estimate_of(2, 800, 1))};
  EXPECT_FALSE(energy_ratio(mixed, Quantity::net)->gain_cancels);
}

TEST(EnergyRatio, BoardsOfASideThatIsNotTheOthersMayAllBeOffTheSameWay) {
  const RunPair pair{{estimate_of(2, 800, 0, "1"), estimate_of(2, 800, 0, "2")},
                     {estimate_of(2, 800, 0, "3"), estimate_of(2, 800, 0, "4")}};
  const auto ratio = energy_ratio(std::vector{pair}, Quantity::net);
  ASSERT_TRUE(ratio);
  EXPECT_NEAR(find(*ratio, Cause::gain)->u, std::sqrt(2.0) * kGain, 1e-9);
}

TEST(EnergyRatio, WhatEveryRunHidesIsInNetEnergiesToo) {
  EnergyEstimate one = estimate_of(2, 800, 1);
  one.budget.push_back({uncertainty::Cause::phase_lock, 8});
  one.budget.push_back({uncertainty::Cause::lag, 4});
  EnergyEstimate other = estimate_of(2, 400, 1);
  other.budget.push_back({uncertainty::Cause::lag, 4});
  const std::vector pairs(3, pair_of(one, other));
  const auto ratio = energy_ratio(pairs, Quantity::net);
  ASSERT_TRUE(ratio);
  ASSERT_TRUE(find(*ratio, Cause::phase_lock) && find(*ratio, Cause::lag));
  EXPECT_NEAR(find(*ratio, Cause::phase_lock)->u, 0.01, 1e-9);
  EXPECT_NEAR(find(*ratio, Cause::lag)->u, 0.01 - 0.005, 1e-9);
}

TEST(EnergyRatio, RestsOnThePairsThatHaveEnergies) {
  EnergyEstimate without = estimate_of(1, 100, 1);
  without.energy.reset();
  const std::vector pairs{pair_of(estimate_of(1, 100, 1), estimate_of(1, 100, 1)),
                          pair_of(without, estimate_of(1, 100, 1)),
                          pair_of(estimate_of(1, 100, 1), estimate_of(1, 102, 1))};
  const auto ratio = energy_ratio(pairs, Quantity::gross);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->pairs, 2U);
  EXPECT_NEAR(ratio->ratio.value, std::sqrt(202.0 / 200.0), 5e-5)
      << "weights that differ by less than a percent";
}

TEST(EnergyRatio, IsAbsentWhereAnEnergyIs) {
  EnergyEstimate without = estimate_of(1, 100, 1);
  without.energy.reset();
  EXPECT_FALSE(energy_ratio({}, Quantity::gross));
  EXPECT_FALSE(
      energy_ratio(std::vector{pair_of(estimate_of(1, 100, 1), without)}, Quantity::gross));
  EXPECT_FALSE(energy_ratio(std::vector{pair_of(estimate_of(1, -1, 1), estimate_of(1, 100, 1))},
                            Quantity::net));
}

}  // namespace
}  // namespace truewatt::energy
