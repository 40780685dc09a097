#include "truewatt/numerics/line_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace truewatt::numerics {
namespace {

TEST(LineFit, MatchesTheCertifiedValuesOfNistNorris) {
  // NIST StRD, linear regression, data set "Norris" (36 observations, lower level of difficulty).
  const std::vector<double> y = {0.1,   338.8, 118.1, 888.0, 9.2,   228.1, 668.5, 998.5, 449.1,
                                 778.9, 559.2, 0.3,   0.1,   778.1, 668.8, 339.3, 448.9, 10.8,
                                 557.7, 228.3, 998.0, 888.8, 119.6, 0.3,   0.6,   557.6, 339.3,
                                 888.0, 998.5, 778.9, 10.2,  117.6, 228.9, 668.4, 449.2, 0.2};
  const std::vector<double> x = {0.2,   337.4, 118.2, 884.6, 10.1,  226.5, 666.3, 996.3, 448.6,
                                 777.0, 558.2, 0.4,   0.6,   775.5, 666.9, 338.0, 447.5, 11.6,
                                 556.0, 228.1, 995.8, 887.6, 120.2, 0.3,   0.3,   556.8, 339.1,
                                 887.2, 999.0, 779.0, 11.1,  118.3, 229.2, 669.1, 448.9, 0.5};
  const LineFit fit = *fit_line(x, y);
  EXPECT_NEAR(fit.slope, 1.00211681802045, 1e-13);
  EXPECT_NEAR(fit.slope_sd, 0.429796848199937e-3, 1e-15);
  EXPECT_NEAR(fit.at(0.0).value, -0.262323073774029, 1e-11);
  EXPECT_NEAR(fit.at(0.0).standard_uncertainty, 0.232818234301152, 1e-12);
  EXPECT_NEAR(fit.residual_sd, 0.884796396144373, 1e-12);
}

TEST(LineFit, KeepsItsDigitsAtTimesOfTheEpoch) {
  const std::vector<double> x = {1.7e9, 1.7e9 + 0.1, 1.7e9 + 0.2};
  const std::vector<double> y = {10, 20, 30};
  // x itself is only good to 2.4e-7 s there.
  EXPECT_NEAR(fit_line(x, y)->slope, 100, 1e-3);
}

TEST(LineFit, IntervalCoversTheTruthAtItsRate) {
  std::mt19937 rng(1);
  std::normal_distribution<double> noise(0.0, 0.3);
  int covered = 0;
  const int trials = 2000;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> x, y;
    for (int i = 0; i < 40; ++i) {
      x.push_back(0.1 * i);
      y.push_back(5 + 2 * x.back() + noise(rng));
    }
    const Uncertain end = fit_line(x, y)->at(6.0);
    covered += std::abs(end.value - 17) < kCoverageFactor95 * end.standard_uncertainty ? 1 : 0;
  }
  // Student's t with 38 degrees of freedom makes 95 % into 94.3 %; binomial sd 0.5 %.
  EXPECT_NEAR(covered / static_cast<double>(trials), 0.943, 0.02);
}

TEST(LineFit, SaysWhenItCannot) {
  EXPECT_EQ(fit_line(std::vector{1.0}, std::vector{1.0}).error().code, Errc::insufficient_data);
  EXPECT_EQ(fit_line(std::vector{1.0, 1.0}, std::vector{1.0, 2.0}).error().code,
            Errc::ill_conditioned);
}

TEST(StudentWidening, MatchesTheTables) {
  // Student's t, 97.5 %: 12.706 (1), 4.303 (2), 3.182 (3), 2.447 (6), 2.042 (30) (JCGM 100, G.2).
  EXPECT_NEAR(student_widening(1) * kCoverageFactor95, 12.706, 0.0005);
  EXPECT_NEAR(student_widening(2) * kCoverageFactor95, 4.303, 0.0005);
  EXPECT_NEAR(student_widening(3) * kCoverageFactor95, 3.182, 0.0005);
  EXPECT_NEAR(student_widening(6) * kCoverageFactor95, 2.447, 0.0005);
  EXPECT_NEAR(student_widening(30) * kCoverageFactor95, 2.042, 0.0005);
}

}  // namespace
}  // namespace truewatt::numerics
