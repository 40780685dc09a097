#include "truewatt/energy/aggregate/repeated_runs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {
namespace {

MeanOfRuns mean_with(double standard_error, double freedom) {
  return {.standard_error = standard_error, .freedom = freedom};
}

double half_width(const MeanOfRuns& mean, double others, EndsAt ends_at) {
  const TermsOfRuns terms = terms_beside(mean, others, ends_at);
  return kCoverageFactor95 * std::hypot(terms.scatter, terms.within, others);
}

TEST(TermsBeside, IsStudentsOfFewRunsWhereNothingElseIsUnknown) {
  EXPECT_NEAR(half_width(mean_with(2.0, 4), 0.0, {}), 2 * 2.7764, 1e-3);
  EXPECT_NEAR(half_width(mean_with(2.0, 1), 0.0, {}), 2 * 12.7062, 1e-3);
  EXPECT_EQ(terms_beside(mean_with(0.0, 4), 3.0, 0.01).scatter, 0.0);
}

TEST(TermsBeside, HardlyWidensAWholeThatIsMostlyKnown) {
  // Four degrees of freedom of a fifth of the variance: 100 of the whole.
  EXPECT_NEAR(half_width(mean_with(1.0, 4), 2.0, {}), 1.98397 * std::sqrt(5.0), 1e-3);
  EXPECT_NEAR(half_width(mean_with(1.0, 4), 100.0, {}), 1.96 * std::hypot(1.0, 100.0), 0.01);
}

TEST(TermsBeside, AreNumbersHoweverSmallTheScatterIs) {
  for (const double scatter : {1e-3, 1e-7, 1e-9, 1e-17, 1e-200}) {
    for (const double others : {0.0, 1.0}) {
      const double told = terms_beside(mean_with(scatter, 4), others, 0.01).scatter;
      EXPECT_GE(told, scatter) << others;
      EXPECT_LE(told, 1.7 * scatter) << others;
    }
  }
}

// Whatever chance made of them, runs know no less than their budgets leave open.
TEST(TermsBeside, FewRunsKnowNoMoreThanTheirBudgets) {
  MeanOfRuns mean = mean_with(1.0, 1);
  mean.own = 20.0;
  EXPECT_NEAR(half_width(mean, 0.0, {}), 1.96 * 20.0, 0.01);
  mean.own = 2.0;
  EXPECT_NEAR(half_width(mean, 0.0, {}), 12.7062, 1e-3);
}

TEST(TermsBeside, WidensForChanceAsFarAsThatMayHaveEndedTheRuns) {
  const MeanOfRuns mean = mean_with(1.0, 4);
  const double plain = half_width(mean, 0.0, {});
  EXPECT_DOUBLE_EQ(half_width(mean, 0.0, 3 * plain), plain);
  EXPECT_NEAR(half_width(mean, 0.0, plain), 1.15 * plain, 1e-9);
  const double between = half_width(mean, 0.0, 2 * plain);
  EXPECT_GT(between, 1.02 * plain);
  EXPECT_LT(between, 1.13 * plain);
}

/// Share of means that hold the truth, 0: runs that scatter by `scatter` and share an error.
double covered(double scatter, double others, EndsAt ends_at) {
  constexpr int kMeans = 4000;
  constexpr int kFewest = 5;
  constexpr int kMost = 200;
  std::mt19937 rng(11);
  std::normal_distribution<double> chance(0.0, 1.0);
  int held = 0;
  for (int i = 0; i < kMeans; ++i) {
    const double shared = others * chance(rng);
    std::vector<RunValue> runs;
    double half = 0.0;
    double value = 0.0;
    do {
      runs.push_back({shared + scatter * chance(rng), OwnDoubt{}});
      if (runs.size() < kFewest) continue;
      const MeanOfRuns mean = mean_of_runs(runs, 100.0);
      value = mean.value;
      half = half_width(mean, others, ends_at);
      if (!ends_at || half <= *ends_at) break;
    } while (runs.size() < kMost);
    held += std::abs(value) <= half ? 1 : 0;
  }
  return held / static_cast<double>(kMeans);
}

TEST(TermsBeside, CoversWhateverTheScattersShareIs) {
  for (const double others : {0.0, 0.2, 0.5, 1.0, 5.0}) {
    // Three standard deviations of 4000 at 95 %, and 0.5 % of the approximation.
    EXPECT_NEAR(covered(1.0, others, {}), 0.95, 0.015) << others;
  }
}

TEST(TermsBeside, CoversWhereTheTargetEndedTheRuns) {
  for (const double others : {0.0, 0.1, 0.25, 0.4}) {
    for (const double scatter : {0.05, 0.2, 0.5, 1.0, 2.0}) {
      const double share = covered(scatter, others, 1.0);
      EXPECT_GT(share, 0.93) << scatter << " " << others;
      EXPECT_LT(share, 0.975) << scatter << " " << others;
    }
  }
}

}  // namespace
}  // namespace truewatt::energy
