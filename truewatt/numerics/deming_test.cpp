#include "truewatt/numerics/deming.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

namespace truewatt::numerics {
namespace {

constexpr std::array kX{0.0, 1.0, 2.0, 3.0};
constexpr std::array kY{1.0, 3.0, 4.0, 8.0};

TEST(Deming, WithoutErrorsInXIsLeastSquares) {
  const auto plain = fit_line(kX, kY).value();
  const auto fit = fit_deming(kX, kY, {.x = 0.0, .y = 1.0}).value();
  EXPECT_NEAR(fit.slope, plain.slope, 1e-12);
  EXPECT_NEAR(fit.residual_sd, plain.residual_sd, 1e-12);
  EXPECT_NEAR(fit.slope_sd, plain.slope_sd, 1e-12);
}

TEST(Deming, WithoutErrorsInYIsTheLineOfXOnY) {
  const auto other = fit_line(kY, kX).value();
  const auto fit = fit_deming(kX, kY, {.x = 1.0, .y = 0.0}).value();
  EXPECT_NEAR(fit.slope, 1.0 / other.slope, 1e-12);
}

TEST(Deming, EqualErrorsGiveThePrincipalAxis) {
  // sxx = 5, sxy = 11, syy = 26: tan(2 phi) = 2 sxy / (sxx - syy).
  const double phi = 0.5 * std::atan2(22.0, 5.0 - 26.0);
  EXPECT_NEAR(fit_deming(kX, kY, {.x = 1.0, .y = 1.0})->slope, std::tan(phi), 1e-12);
}

TEST(Deming, SwappingTheAxesInvertsTheSlope) {
  const auto fit = fit_deming(kX, kY, {.x = 0.3, .y = 2.0}).value();
  const auto swapped = fit_deming(kY, kX, {.x = 2.0, .y = 0.3}).value();
  EXPECT_NEAR(fit.slope * swapped.slope, 1.0, 1e-12);
}

TEST(Deming, SlopeIsNotDilutedByErrorsInX) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 20'000; ++i) {
    const double truth = i % 2;  // variance 1/4
    x.push_back(truth + 0.25 * noise(random));
    y.push_back(0.9 * truth + 0.25 * noise(random));
  }
  // Least squares is low by 1/(1 + (1/16)/(1/4)) = 0.8; the standard error is about 0.005.
  EXPECT_NEAR(fit_line(x, y)->slope, 0.72, 0.02);
  EXPECT_NEAR(fit_deming(x, y, {.x = 1.0, .y = 1.0})->slope, 0.9, 0.02);
}

TEST(Deming, SaysWhenThePointsDoNotTell) {
  constexpr std::array same{1.0, 1.0, 1.0};
  constexpr std::array other{1.0, 2.0, 3.0};
  constexpr std::array one{1.0};
  EXPECT_EQ(fit_deming(same, other, {}).error().code, Errc::ill_conditioned);
  EXPECT_EQ(fit_deming(other, same, {}).error().code, Errc::ill_conditioned);
  EXPECT_EQ(fit_deming(one, one, {}).error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::numerics
