// By how much the power may jump, of closed forms.

#include "truewatt/energy/course/jump_variance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/energy/course/energy_course.hpp"

namespace truewatt::energy {
namespace {

constexpr double kNoise = 0.5;  // W

double square(double x) { return x * x; }

std::vector<double> variances_of(const std::vector<double>& means, double unseen) {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double begin = 0.1 * static_cast<double>(i);
    cells.push_back({begin, begin + 0.1});
  }
  return jump_variances(means, amplitudes_of(cells, means, 50.0, 500.0), 50.0, 500.0,
                        {.noise_w = kNoise, .share = unseen});
}

TEST(JumpVariance, WhatReadingsScatterByIsNoContrast) {
  const auto variances = variances_of({50, 51, 50, 50.5, 49.5}, 0.0);
  for (const double variance : variances) EXPECT_NEAR(variance, kNoise * kNoise, 0.001);
}

// Two fifths of the contrast beyond two standard deviations, times the amplitude; what is high
// throughout has a part that shows no contrast.
TEST(JumpVariance, AStepOpensTheCellsOnBothSides) {
  const auto variances = variances_of({50, 50, 50, 250, 250, 250}, 0.0);
  const double of_step = 200 * 0.4 * (200 - 2 * kNoise);
  EXPECT_NEAR(variances[1], kNoise * kNoise, 1e-9);
  EXPECT_NEAR(variances[2], of_step, 1e-9);
  EXPECT_NEAR(variances[3], of_step + 200 * 0.0005 * 200, 1e-9);
  EXPECT_NEAR(variances[4], 200 * 0.0005 * 200, 1e-9);
}

// A count whose ticks are known to a hundredth of a period scatters with the power.
TEST(JumpVariance, WhatTicksMakeACountScatterByIsNoContrast) {
  const std::vector<double> means{300, 304, 297, 303, 300, 311};
  const auto amplitudes = amplitudes_of(std::vector<Cell>(means.size()), means, 300.0, 500.0);
  const Unseen unseen{.noise_w = kNoise, .noise = 0.012};
  const auto variances = jump_variances(means, amplitudes, 300.0, 500.0, unseen);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(variances[i], square(kNoise) + square(0.012 * means[i]), 1e-9);
  }
  const double noise = std::sqrt(square(kNoise) + square(0.012 * 311));
  EXPECT_NEAR(variances[5], 11 * (0.4 * (11 - 2 * noise) + 0.0005 * 11), 1e-9);
}

TEST(JumpVariance, WhereNothingLooksMoreIsOpen) {
  const auto seen = variances_of({50, 50, 50, 250, 250, 250}, 0.0);
  const auto unseen = variances_of({50, 50, 50, 250, 250, 250}, 0.75);
  EXPECT_NEAR(unseen[2] / seen[2], 2.5, 1e-9);
  EXPECT_NEAR(unseen[4] / seen[4], 16.0, 1e-9);
}

TEST(JumpVariance, OfWhatKnownWorkLeavesAStepOpensNothing) {
  const std::vector<double> means{50, 50, 250, 250, 50, 80, 50};
  std::vector<Cell> cells(means.size());
  const auto variances =
      remainder_variances(means, amplitudes_of(cells, means, 50.0, 500.0), 50.0, 500.0);
  EXPECT_NEAR(variances[1], 0.0, 1e-9);
  EXPECT_NEAR(variances[3], 200 * 0.01 * 200, 1e-9);
  EXPECT_NEAR(variances[5], 200 * (6 * 30 + 0.01 * 30), 1e-9);
}

// A second of steady power by a sensor that sees all of its time, and one of the same length that
// begins within a reading's length of a step: the first is known to what readings scatter by.
TEST(EnergyCourse, SteadyPowerIsKnownToWhatReadingsScatterBy) {
  constexpr double kEvery = 0.05;  // s
  ObservedSource source{.source = {SourceKind::power_instant, Scope::gpu},
                        .look = Look::average,
                        .period = kEvery,
                        .window = kEvery,
                        .scatter = kNoise,
                        .is_characterized = true};
  for (int i = 1; i < 400; ++i) {
    const double level = i <= 100 ? 60.0 : 260.0;
    source.readings.push_back(
        {.time = kEvery * i, .time_sd = 1e-4, .value = level + (i % 2 == 0 ? kNoise : -kNoise)});
  }
  const EnergyCourse course({.lowest_w = 60.0, .limit_w = 500.0, .sources = {source}}, {});
  // 10 ms off a reading: of 260 W for 1 s.
  const CourseEnergy steady = course.energy({12.01, 13.01});
  EXPECT_NEAR(steady.joules, 260.0, 0.3);
  EXPECT_LT(steady.standard_uncertainty, 0.4);
  const CourseEnergy at_step = course.energy({5.02, 6.02});
  EXPECT_GT(at_step.standard_uncertainty, 2.5 * steady.standard_uncertainty);
  EXPECT_NEAR(at_step.joules, 260.0, 1.96 * at_step.standard_uncertainty);
}

}  // namespace
}  // namespace truewatt::energy
