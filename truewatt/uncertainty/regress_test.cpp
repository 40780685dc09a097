#include "truewatt/uncertainty/regress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::uncertainty {
namespace {

constexpr double kClose = 1e-9;

Budget run_of(double value, double own, int run, double lag = 0.0) {
  const Origin origin{"a", "H100", "p", run};
  Budget budget(value);
  budget.add(Cause::unobserved, own, origin);
  budget.add(Cause::lag, lag, origin);
  return budget;
}

std::vector<Budget> runs_of(const std::vector<double>& values, double own, double lag = 0.0) {
  std::vector<Budget> runs;
  for (const double value : values) {
    runs.push_back(run_of(value, own, static_cast<int>(runs.size()), lag));
  }
  return runs;
}

double u_of(const Budget& budget, Cause cause) {
  return budget.part([cause](Cause one) { return one == cause; });
}

// 10, 11, 12, 13, 14: mean 12, standard error sqrt(2.5 / 5); t of 4 degrees is 2.776445.
TEST(MeanOfRuns, OfRunsKnownAlikeIsThePlainMeanWithStudentsT) {
  const RunMean mean = mean_of_runs(runs_of({10, 11, 12, 13, 14}, 0.01));
  EXPECT_NEAR(mean.budget.value(), 12, kClose);
  EXPECT_NEAR(u_of(mean.budget, Cause::scatter), std::sqrt(0.5) * 2.776445105 / kCoverageFactor95,
              1e-6);
  EXPECT_NEAR(u_of(mean.budget, Cause::within_runs), 0, kClose);
  for (const double weight : mean.weights) EXPECT_NEAR(weight, 0.2, kClose);
}

TEST(MeanOfRuns, WhatRunsShareStays) {
  const RunMean mean = mean_of_runs(runs_of({10, 11, 12, 13, 14}, 0.01, 0.4));
  EXPECT_NEAR(u_of(mean.budget, Cause::lag), 0.4, kClose);
}

// Each is known to 80 of 100 J: what none of them saw is not known better by their agreeing.
TEST(MeanOfRuns, OfRunsThatHardlySawTheirWorkIsNoBetterKnownThanTheyAre) {
  const RunMean mean = mean_of_runs(runs_of({100, 100, 100, 100, 100}, 80));
  EXPECT_NEAR(mean.budget.standard_uncertainty(), 80, kClose);
  EXPECT_NEAR(mean_of_runs(runs_of({100, 100, 100}, 5)).budget.standard_uncertainty(), 0, kClose);
}

TEST(MeanOfRuns, ThatATargetEndedScatterMore) {
  const auto runs = runs_of({10, 11, 12, 13, 14}, 0.01);
  EXPECT_NEAR(u_of(mean_of_runs(runs, {.ended_by = EndedBy::target}).budget, Cause::scatter) /
                  u_of(mean_of_runs(runs).budget, Cause::scatter),
              1.15, kClose);
}

TEST(MeanOfRuns, OneThatIsKnownFarWorseCountsForLittle) {
  std::vector<Budget> runs = runs_of({10, 10.1, 9.9, 10}, 0.1);
  runs.push_back(run_of(20, 10, 9));
  const RunMean mean = mean_of_runs(runs);
  EXPECT_LT(mean.weights.back(), 0.001);
  EXPECT_NEAR(mean.budget.value(), 10, 0.02);
}

TEST(MeanOfRuns, OfOneRunIsThatRun) {
  const RunMean mean = mean_of_runs(runs_of({10}, 3, 4));
  EXPECT_NEAR(mean.budget.standard_uncertainty(), 5, kClose);
}

TEST(MeanOfRuns, AreAsManyMoreAsTheScatterAsks) {
  const std::vector<Term> all = {{Cause::scatter, 3}, {Cause::lag, 0.4}, {Cause::gain, 50}};
  EXPECT_EQ(irreducible_of(all).most, Cause::gain);
  const std::vector<Term> terms = without_scale(all);
  // 1.96 sqrt(9 * 5 / n + 0.16) = 1.96 at n = 45 / 0.84.
  EXPECT_NEAR(runs_for(terms, 5, kCoverageFactor95), 45 / 0.84, kClose);
  EXPECT_TRUE(std::isinf(runs_for(terms, 5, 0.4 * kCoverageFactor95)));
  EXPECT_EQ(irreducible_of(terms).most, Cause::lag);
}

/// Loads of 0, 4, 8, 12 of an instruction in a loop, twice each: 3 J for each above 50 J.
std::vector<std::vector<double>> loop_columns() {
  return {{1, 1, 1, 1, 1, 1, 1, 1}, {0, 4, 8, 12, 0, 4, 8, 12}};
}

TEST(Regress, FindsAnInstructionsEnergyAsASlope) {
  std::vector<Budget> runs;
  const auto columns = loop_columns();
  for (int i = 0; i < 8; ++i) {
    runs.push_back(run_of(50 + 3 * columns[1][static_cast<std::size_t>(i)], 1, i));
  }
  const auto fit = regress(columns, runs);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->coefficients[0].value(), 50, kClose);
  EXPECT_NEAR(fit->coefficients[1].value(), 3, kClose);
  EXPECT_NEAR(fit->coefficients[1].standard_uncertainty(), 0, kClose) << "no scatter";
  // As many runs as coefficients: their own 1 J each over 12 instructions.
  const std::vector<std::vector<double>> two = {{1, 1}, {0, 12}};
  const std::vector<Budget> ends = {run_of(50, 1, 0), run_of(86, 1, 1)};
  EXPECT_NEAR(regress(two, ends)->coefficients[1].standard_uncertainty(), std::sqrt(2.0) / 12,
              kClose);
}

/// How often the slope's interval holds the truth where runs scatter by `scatter` beyond their own
/// 1 J, and all share a gain that is off by 2 % of them.
double coverage(double scatter, int draws) {
  const auto columns = loop_columns();
  std::mt19937_64 rng(7);
  std::normal_distribution<double> normal;
  int held = 0;
  for (int k = 0; k < draws; ++k) {
    const double gain = 1 + 0.02 * normal(rng);
    std::vector<Budget> runs;
    for (int i = 0; i < 8; ++i) {
      const double truth = 50 + 3 * columns[1][static_cast<std::size_t>(i)];
      const double seen = gain * (truth + scatter * normal(rng) + normal(rng));
      Budget run = run_of(seen, 1, i);
      run.add(Cause::calibrated_gain, 0.02 * seen, {"a", "H100", "p", i});
      runs.push_back(std::move(run));
    }
    const auto fit = regress(columns, runs);
    const Interval slope = interval_of(fit->coefficients[1]);
    held += slope.lower <= 3 && 3 <= slope.upper ? 1 : 0;
  }
  return static_cast<double>(held) / draws;
}

// Of 4000 draws 95 % are known to 0.35 %; three of these, and what weights by chance cost.
TEST(Regress, SlopesAreCoveredHoweverMuchRunsScatter) {
  const double scattered = coverage(5.0, 4000);
  EXPECT_GT(scattered, 0.94);
  EXPECT_LT(scattered, 0.97);
  const double own = coverage(0.0, 4000);
  EXPECT_GT(own, 0.94);
  EXPECT_LT(own, 0.97);
}

TEST(Regress, SaysWhenTheRunsDoNotTell) {
  const auto runs = runs_of({1, 2, 3}, 1);
  const std::vector<std::vector<double>> equal = {{1, 1, 1}, {2, 2, 2}};
  EXPECT_EQ(regress(equal, runs).error().code, Errc::ill_conditioned);
  const std::vector<std::vector<double>> many(4, {1, 2, 3});
  EXPECT_EQ(regress(many, runs).error().code, Errc::insufficient_data);
}

/// The same line with the difference and the sum of its coefficients as coefficients.
TEST(Regress, CoefficientsOfOneFitErrTogether) {
  const std::vector<double> a{1, 1, 1, 1, 2, 3};
  const std::vector<double> b{1, 2, 3, 4, 5, 7};
  const auto runs = runs_of({3.1, 4.8, 7.3, 8.9, 12.2, 16.8}, 0.01);
  std::vector<double> half_difference;
  std::vector<double> half_sum;
  for (std::size_t i = 0; i < a.size(); ++i) {
    half_difference.push_back((a[i] - b[i]) / 2);
    half_sum.push_back((a[i] + b[i]) / 2);
  }
  const std::vector<std::vector<double>> columns{a, b};
  const std::vector<std::vector<double>> others{half_difference, half_sum};
  const auto fit = regress(columns, runs);
  const auto other = regress(others, runs);
  ASSERT_TRUE(fit && other);
  const Budget apart = difference(fit->coefficients[0], fit->coefficients[1]);
  EXPECT_NEAR(apart.value(), other->coefficients[0].value(), 1e-9);
  EXPECT_NEAR(apart.standard_uncertainty(), other->coefficients[0].standard_uncertainty(), 1e-9);
  const Budget parts[] = {fit->coefficients[0], fit->coefficients[1]};
  EXPECT_NEAR(sum(parts).standard_uncertainty(), other->coefficients[1].standard_uncertainty(),
              1e-9);
}

TEST(Regress, TwoFitsErrApart) {
  const Budget one = mean_of_runs(runs_of({10, 11, 12, 13, 14}, 0.01)).budget;
  const Budget other = mean_of_runs(runs_of({20, 21, 22, 23, 24.5}, 0.01)).budget;
  EXPECT_NEAR(difference(other, one).standard_uncertainty(),
              std::hypot(one.standard_uncertainty(), other.standard_uncertainty()), kClose);
  EXPECT_NEAR(difference(one, one).standard_uncertainty(), 0, kClose);
}

}  // namespace
}  // namespace truewatt::uncertainty
