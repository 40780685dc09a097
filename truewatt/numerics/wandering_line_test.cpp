#include "truewatt/numerics/wandering_line.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::numerics {
namespace {

constexpr double kSlope = 40.0;
constexpr double kStep = 0.1;
constexpr double kEnd = 0.05;  // behind the last point

/// Points at -(n-1) kStep, ..., 0 of a line that wanders, and its value at kEnd.
struct Drawn {
  std::vector<double> x;
  std::vector<double> y;
  double truth = 0.0;
};

Drawn draw(int points, double white, double walk, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Drawn drawn;
  double sum = 0.0;
  for (int i = 0; i < points; ++i) {
    const double x = kStep * (i - points + 1);
    if (i > 0) sum += std::sqrt(walk * kStep) * normal(random);
    drawn.x.push_back(x);
    drawn.y.push_back(1000 + kSlope * x + sum + white * normal(random));
  }
  drawn.truth = 1000 + kSlope * kEnd + sum + std::sqrt(walk * kEnd) * normal(random);
  return drawn;
}

TEST(WanderingLine, IsLeastSquaresWhereNothingWanders) {
  std::mt19937 random(1);
  const Drawn drawn = draw(12, 0.3, 0.0, random);
  const LineFit fit = *fit_line(drawn.x, drawn.y, 0.3);
  const LineEnd line = *end_of_line(drawn.x, drawn.y, kEnd, {0.3, 0.0});
  EXPECT_NEAR(line.value, fit.at(kEnd).value, 1e-8);
  EXPECT_NEAR(line.slope.value, fit.slope, 1e-8);
  const double scale = fit.slope_sd > 0 ? 0.3 / std::max(fit.residual_sd, 0.3) : 1.0;
  EXPECT_NEAR(line.white_sd, scale * fit.at(kEnd).standard_uncertainty, 1e-8);
  EXPECT_NEAR(line.slope.standard_uncertainty, scale * fit.slope_sd, 1e-8);
  EXPECT_EQ(line.walk_sd, 0.0);
}

TEST(WanderingLine, FollowsTheLastPointWhereAllOfItWanders) {
  // Of a pure walk the best slope is that of the ends, and only the way behind the last is unknown.
  std::mt19937 random(2);
  const Drawn drawn = draw(11, 0.0, 0.5, random);
  const LineEnd line = *end_of_line(drawn.x, drawn.y, kEnd, {0.0, 0.5});
  const double slope = (drawn.y.back() - drawn.y.front()) / (10 * kStep);
  EXPECT_NEAR(line.slope.value, slope, 1e-9);
  EXPECT_NEAR(line.slope.standard_uncertainty, std::sqrt(0.5 / (10 * kStep)), 1e-9);
  EXPECT_NEAR(line.value, drawn.y.back() + slope * kEnd, 1e-9);
  EXPECT_NEAR(line.walk_sd, std::sqrt(0.5 * kEnd + kEnd * kEnd * 0.5 / (10 * kStep)), 1e-9);
  EXPECT_EQ(line.white_sd, 0.0);
}

TEST(WanderingLine, SaysHowFarItIsOff) {
  std::mt19937 random(3);
  for (const auto& [white, walk] : {std::pair{0.1, 0.05}, {0.02, 0.4}, {0.3, 0.01}}) {
    constexpr int kTimes = 4000;
    int held = 0;
    for (int i = 0; i < kTimes; ++i) {
      const Drawn drawn = draw(12, white, walk, random);
      const LineEnd line = *end_of_line(drawn.x, drawn.y, kEnd, {white, walk});
      held += std::abs(line.value - drawn.truth) <= 1.96 * std::hypot(line.white_sd, line.walk_sd);
    }
    EXPECT_NEAR(held, 0.95 * kTimes, 3 * std::sqrt(0.05 * 0.95 * kTimes)) << white << " " << walk;
  }
}

TEST(WanderingLine, TellsWalkFromScatter) {
  std::mt19937 random(4);
  for (const auto& [white, walk] : {std::pair{0.1, 0.5}, {0.3, 0.0}, {0.0, 0.5}}) {
    const Drawn drawn = draw(20000, white, walk, random);
    const Increments increments = increments_of(drawn.x, drawn.y, kSlope);
    const Wandering found = wandering_of(increments, 0.0);
    EXPECT_NEAR(found.walk, walk, 0.04) << white;
    EXPECT_NEAR(found.white_sd * found.white_sd, white * white, 0.004) << walk;
    // In the other direction, and twice; what is known is believed.
    const std::vector<double> x(drawn.x.rbegin(), drawn.x.rend());
    const std::vector<double> y(drawn.y.rbegin(), drawn.y.rend());
    Increments both = increments;
    both += increments_of(x, y, kSlope);
    EXPECT_EQ(both.lines, 2);
    EXPECT_NEAR(wandering_of(both, 0.0).walk, found.walk, 1e-3);
    EXPECT_EQ(wandering_of(increments, 0.5).white_sd, 0.5);
    EXPECT_EQ(wandering_of(increments, 0.5).walk, 0.0);
  }
}

TEST(WanderingLine, OneIncrementTellsNothing) {
  const std::vector<double> x = {0.0, 1.0};
  const std::vector<double> y = {0.0, 2.0};
  const Wandering found = wandering_of(increments_of(x, y, 1.5), 0.1);
  EXPECT_EQ(found.white_sd, 0.1);
  EXPECT_EQ(found.walk, 0.0);
}

TEST(WanderingLine, NeedsTwoPoints) {
  const std::vector<double> x = {1.0, 1.0};
  EXPECT_EQ(end_of_line(x, x, 2.0, {0.1, 0.0}).error().code, Errc::ill_conditioned);
  const std::vector<double> one = {1.0};
  EXPECT_EQ(end_of_line(one, one, 2.0, {0.1, 0.0}).error().code, Errc::insufficient_data);
  const std::vector<double> line = {1.0, 2.0, 3.0};
  EXPECT_EQ(end_of_line(line, line, 5.0, {0.0, 0.0})->value, 5.0);
}

}  // namespace
}  // namespace truewatt::numerics
