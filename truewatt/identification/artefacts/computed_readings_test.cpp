#include "truewatt/identification/artefacts/computed_readings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/fit/load_response.hpp"
#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kComputedIdle = 60.0;
constexpr double kComputedStep = 250.0;
constexpr double kComputedPeriod = 0.02;
constexpr double kComputedLength = 20.0;
constexpr double kFormat = 0.001;  // W

struct Source {
  double step = 0.0;  ///< W; between the values that it can take
  double noise = 0.0;
  double overshoot = 0.0;
  double rise_share = 0.0;
};

std::optional<ComputedLevels> levels_of(const Source& source) {
  std::mt19937 rng(3);
  const auto work = random_work(kComputedLength, 0.004, 0.2, rng);
  std::vector<double> ticks;
  for (int i = 50; kComputedPeriod * i < kComputedLength; ++i) ticks.push_back(kComputedPeriod * i);
  const ObservationModel model{.averaging_window = Seconds(0.015), .delay = Seconds(0.003)};
  const auto settled = LoadResponse(work, Shape::settled).at(ticks, model);
  const auto decay = LoadResponse(work, Shape::decay, 0.1).at(ticks, model);
  std::normal_distribution<double> noise(0.0, 1.0);
  std::vector<ticks::Tick> readings;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double power =
        kComputedStep *
            (settled[i].reading + (source.overshoot - source.rise_share) * decay[i].reading) +
        source.noise * noise(rng);
    const double value = kComputedIdle + std::round(power / source.step) * source.step;
    readings.push_back({ticks[i], 1e-5, std::round(value / kFormat) * kFormat});
  }
  const FitData data{readings, work};
  const auto fit = fit_observation(data, kComputedPeriod);
  return fit ? computed_levels(data, fit->joint, kFormat) : std::nullopt;
}

TEST(ComputedLevels, FindsTheStepsOfAnActivityCounter) {
  const auto levels = levels_of({.step = kComputedStep / 24});
  ASSERT_TRUE(levels);
  EXPECT_NEAR(levels->step_w, kComputedStep / 24, kFormat);
  EXPECT_EQ(levels->to_full, 24U);
  EXPECT_GT(levels->partial, 100U);
}

TEST(ComputedLevels, AreNotThoseOfTheNumberFormat) { EXPECT_FALSE(levels_of({.step = kFormat})); }

TEST(ComputedLevels, AreNotThoseOfAFineConverter) {
  EXPECT_FALSE(levels_of({.step = kComputedStep / 170}));
}

TEST(ComputedLevels, NeverStrayAsMeasuredOnesBehindACoarseConverterDo) {
  EXPECT_FALSE(levels_of({.step = kComputedStep / 40, .noise = 2.0}));
}

TEST(ComputedLevels, DoNotShowABoardThatOvershoots) {
  EXPECT_FALSE(levels_of({.step = kComputedStep / 40, .overshoot = 0.15}));
}

TEST(ComputedLevels, DoNotShowABoardThatRisesSlowly) {
  EXPECT_FALSE(levels_of({.step = kComputedStep / 40, .rise_share = 0.8}));
}

}  // namespace
}  // namespace truewatt::identification
