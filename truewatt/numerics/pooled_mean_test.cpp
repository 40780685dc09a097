#include "truewatt/numerics/pooled_mean.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::numerics {
namespace {

TEST(PooledMean, OfValuesThatAreKnownAlikeIsThePlainOne) {
  for (const double sd : {0.0, 0.1, 100.0}) {
    const PooledMean pooled = pooled_mean({{79, sd}, {80, sd}, {84, sd}});
    EXPECT_NEAR(pooled.mean, 81, 1e-9);
    // Sample standard deviation sqrt(7) over sqrt(3).
    EXPECT_NEAR(pooled.standard_error, std::sqrt(7.0 / 3), 1e-9);
    EXPECT_NEAR(pooled.freedom, 2, 1e-9);
    for (const double weight : pooled.weights) EXPECT_NEAR(weight, 1.0 / 3, 1e-9);
  }
}

TEST(PooledMean, OfValuesWithoutADifferenceWeighsByTheirUncertainties) {
  const PooledMean pooled = pooled_mean({{80, 1}, {80, 2}});
  EXPECT_NEAR(pooled.weights[0], 0.8, 1e-9);
  EXPECT_NEAR(pooled.weights[1], 0.2, 1e-9);
}

TEST(PooledMean, WhatIsHardlyKnownHardlyCounts) {
  const PooledMean pooled =
      pooled_mean({{120.0, 0.5}, {60, 250}, {121.0, 0.5}, {59, 250}, {120.5, 0.5}, {60, 250}});
  EXPECT_NEAR(pooled.mean, 120.5, 0.01);
  // Of six of which three say nothing; those agree with their uncertainty.
  EXPECT_LT(pooled.standard_error, 0.3);
  EXPECT_NEAR(std::accumulate(pooled.weights.begin(), pooled.weights.end(), 0.0), 1.0, 1e-12);
}

// Trains in step with a sensor: most of them show it little of their work.
TEST(PooledMean, OfWhichFewWeighMostIsKnownByTheirOwnUncertaintiesToo) {
  const std::vector<Measured> values = {
      {154.0, 2.5}, {150.1, 0.87}, {153.9, 4.3}, {149.2, 1.5}, {151.2, 3.8}};
  const PooledMean pooled = pooled_mean(values);
  const double half = 1.96 * student_widening(pooled.freedom) * pooled.standard_error;
  // The second alone is known to 1.7.
  EXPECT_LT(half, 3.0);
  EXPECT_GT(half, 1.7);
  EXPECT_GT(pooled.freedom, 1.9);
  EXPECT_LT(pooled.freedom, 2.5);
}

TEST(PooledMean, OwnUncertaintiesThatTheScatterDoesNotNeedWidenNothing) {
  const PooledMean agreeing = pooled_mean({{80.0, 9}, {80.1, 9}, {79.9, 9}, {80.2, 9}, {79.8, 9}});
  EXPECT_NEAR(agreeing.standard_error, std::sqrt(0.025 / 5), 1e-9);
  EXPECT_NEAR(agreeing.freedom, 4, 1e-9);
  // Nor do they hide that values differ by more.
  const PooledMean differing = pooled_mean({{70, 0.1}, {75, 0.1}, {80, 0.1}, {85, 0.1}, {90, 0.1}});
  EXPECT_NEAR(differing.standard_error, std::sqrt(62.5 / 5), 0.01);
  EXPECT_NEAR(differing.freedom, 4, 0.01);
}

TEST(PooledMean, DifferencesBeyondTheUncertaintiesEvenTheWeights) {
  const PooledMean pooled = pooled_mean({{70, 0.1}, {80, 1.0}, {90, 0.5}, {100, 0.1}});
  for (const double weight : pooled.weights) EXPECT_NEAR(weight, 0.25, 0.005);
}

TEST(PooledMean, ItsIntervalHoldsTheTruthAsOftenAsItSays) {
  constexpr int kMeans = 4000;
  std::mt19937 rng(5);
  std::normal_distribution<double> normal;
  // Own uncertainties alike, unlike, and far apart; differences of none and of twice the best.
  for (const double unlike : {0.0, 1.0, 3.0}) {
    for (const double between : {0.0, 2.0}) {
      int covered = 0;
      for (int i = 0; i < kMeans; ++i) {
        std::vector<Measured> values;
        for (int k = 0; k < 6; ++k) {
          const double sd = std::exp(unlike * std::abs(normal(rng)));
          values.push_back({sd * normal(rng) + between * normal(rng), sd});
        }
        const PooledMean pooled = pooled_mean(values);
        const double half = 1.96 * student_widening(pooled.freedom) * pooled.standard_error;
        covered += std::abs(pooled.mean) <= half ? 1 : 0;
      }
      // Where few weigh most the degrees of freedom are on the safe side.
      const double held = covered / static_cast<double>(kMeans);
      EXPECT_GE(held, unlike > 0 ? 0.93 : 0.94) << unlike << " " << between;
      EXPECT_LE(held, unlike > 0 ? 1.0 : 0.96) << between;
    }
  }
}

}  // namespace
}  // namespace truewatt::numerics
