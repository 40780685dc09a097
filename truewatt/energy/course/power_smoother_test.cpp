#include "truewatt/energy/course/power_smoother.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace truewatt::energy {
namespace {

/// A step and all that is planned of it.
struct Planned {
  double length = 0.0;
  double jump_variance = 0.0;
  std::optional<StepEnd> end{};
  Swing swing{};
  std::uint64_t resting = 0;
};

PowerSmoother smoothed(const StateLayout& layout, const std::vector<Planned>& steps,
                       double initial_w, double initial_variance) {
  StepPlan plan;
  for (const Planned& step : steps) {
    step.end ? plan.add(step.length, step.jump_variance, *step.end)
             : plan.add(step.length, step.jump_variance);
    if (layout.deviates) plan.swings.push_back(step.swing);
    plan.resting.push_back(step.resting);
  }
  return {layout, std::move(plan), initial_w, initial_variance};
}

// One power, read once: the mean of prior and reading by their variances.
TEST(PowerSmoother, IsBayesOfOneReading) {
  const double prior = 400.0 + 900.0;
  const double noise = 25.0;
  const PowerSmoother smoother = smoothed(
      {}, {{.length = 2.0, .jump_variance = 900.0, .end = {{.value = 130.0, .variance = noise}}}},
      80.0, 400.0);
  const double gain = prior / (prior + noise);
  EXPECT_NEAR(smoother.power(0), 80.0 + gain * 50.0, 1e-9);
  const FunctionalError error = smoother.error_of({0, {1.0}});
  EXPECT_NEAR(error.variance, 4.0 * prior * noise / (prior + noise), 1e-9);
  ASSERT_EQ(error.weights.size(), 1U);
  EXPECT_NEAR(error.weights[0], 2.0 * gain, 1e-9);
}

// States of few numbers are smoothed by code of their own: to the bit what all others are.
TEST(PowerSmoother, StatesOfAnySizeAreSmoothedAlike) {
  std::vector<Planned> steps;
  for (int i = 0; i < 50; ++i) {
    steps.push_back({.length = 0.0, .jump_variance = 50.0, .end = {{StepAction::open, 1}}});
    steps.push_back({.length = 0.04, .jump_variance = 9.0});
    const double read = 100.0 + (i % 7 < 3 ? 80.0 : 0.0);
    steps.push_back({.length = 0.06, .end = {{StepAction::read, 1, 10.0, read, 1.0}}});
  }
  const Functional part{31, std::vector<double>(40, 1.0)};
  const PowerSmoother two = smoothed({{}, {{0}}}, steps, 100.0, 400.0);
  const std::vector<double> columns(2 * two.readings(), 1.0);
  for (std::size_t unused = 1; unused < 9; ++unused) {
    const std::vector<Integral> integrals(1 + unused);
    const PowerSmoother more = smoothed({{}, integrals}, steps, 100.0, 400.0);
    for (std::size_t i = 0; i < two.steps(); ++i) ASSERT_EQ(more.power(i), two.power(i)) << unused;
    EXPECT_EQ(more.error_of(part).variance, two.error_of(part).variance) << unused;
    EXPECT_EQ(more.innovations_of(columns, 2), two.innovations_of(columns, 2)) << unused;
  }
}

// An integral that was read and does not begin anew for long tells nothing more of a window.
TEST(PowerSmoother, AWindowsErrorIsLookedForNearIt) {
  std::vector<Planned> steps = {{.length = 0.0, .end = {{StepAction::open, 1}}},
                                {.length = 0.1, .jump_variance = 100.0},
                                {.length = 0.0, .end = {{StepAction::read, 1, 10.0, 100.0, 1.0}}}};
  for (int i = 0; i < 5000; ++i) {
    steps.push_back(
        {.length = 0.1, .jump_variance = 100.0, .end = {{.value = 100.0, .variance = 1.0}}});
  }
  const PowerSmoother smoother = smoothed({{}, {{0}}}, steps, 100.0, 400.0);
  const FunctionalError error = smoother.error_of({200, {1.0, 1.0, 1.0}});
  EXPECT_LT(error.weights.size(), 100U);
}

// A counter that is read to ten kilojoules goes on with a window's error for all its
// counts, none of which tells of it.
TEST(PowerSmoother, ACounterThatTellsNothingIsNotFollowed) {
  std::vector<Planned> steps = {{.length = 0.0, .end = {{StepAction::open, 1, 1.0, 0.0, 1e8}}}};
  for (int i = 1; i < 50000; ++i) {
    std::optional<StepEnd> end{{.value = 100.0, .variance = 1.0}};
    if (i % 10 == 0) end = {StepAction::count, 1, 1.0, 100.0, 1e8};
    steps.push_back({.length = 0.1, .jump_variance = 100.0, .end = end});
  }
  const PowerSmoother smoother = smoothed({{}, {{0}}}, steps, 100.0, 400.0);
  const FunctionalError error = smoother.error_of({200, {1.0, 1.0, 1.0}});
  EXPECT_LT(error.weights.size(), 200U);
}

// A counter's count between two of its ticks is all that is known of the power there.
TEST(PowerSmoother, CountsTellTheIntegral) {
  std::vector<Planned> steps = {{.length = 0.0, .end = {{StepAction::open, 1}}}};
  for (int i = 0; i < 10; ++i) steps.push_back({.length = 0.1, .jump_variance = 1e4});
  steps.push_back({.length = 0.0, .end = {{StepAction::count, 1, 1.0, 150.0, 1e-4}}});
  const PowerSmoother smoother = smoothed({{}, {{0}}}, steps, 80.0, 1e4);
  double joules = 0.0;
  for (std::size_t i = 0; i < smoother.steps(); ++i) {
    joules += smoother.power(i) * smoother.length(i);
  }
  EXPECT_NEAR(joules, 150.0, 0.01);
  const FunctionalError error = smoother.error_of({1, std::vector<double>(10, 1.0)});
  EXPECT_NEAR(std::sqrt(error.variance), 0.01, 1e-4);
}

/// Readings behind a filter, means and counts in turn.
std::vector<Planned> random_steps(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> unit(0.1, 1.0);
  std::vector<Planned> steps;
  for (int i = 0; i < 90; ++i) {
    Planned step{.length = 0.005 * unit(rng), .jump_variance = 900 * unit(rng)};
    if (i == 0) {
      step.end = {StepAction::open, 3};
    } else if (i % 13 == 12) {
      step.end = {StepAction::count, 3, 1.0, 3 + unit(rng), 0.01};
    } else if (i % 9 == 2) {
      step.end = {StepAction::open, 2};
    } else if (i % 9 == 7) {
      step.end = {StepAction::read, 2, 50.0, 90 + 40 * unit(rng), 2.0};
    } else if (i % 5 == 4) {
      step.end = {StepAction::read, 1, 1.0, 90 + 40 * unit(rng), 1.0};
    }
    steps.push_back(step);
  }
  return steps;
}

const StateLayout kLayout{{0.013}, {{0}, {1}}};

double joules_of(const PowerSmoother& smoother, const Functional& functional) {
  double joules = 0.0;
  for (std::size_t i = 0; i < functional.weights.size(); ++i) {
    const std::size_t step = functional.first + i;
    joules += functional.weights[i] * smoother.length(step) * smoother.power(step);
  }
  return joules;
}

// The weights are the derivatives of what the smoother makes of the readings.
TEST(PowerSmoother, WeightsAreDerivatives) {
  const Functional functional{30, std::vector<double>(25, 1.0)};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<Planned> steps = random_steps(seed);
    const PowerSmoother smoother = smoothed(kLayout, steps, 80.0, 400.0);
    const FunctionalError error = smoother.error_of(functional);
    const double before = joules_of(smoother, functional);
    for (std::size_t k = 0; k < error.weights.size(); ++k) {
      std::vector<Planned> moved = steps;
      moved[smoother.step_of(error.first_reading + k)].end->value += 1.0;
      const double after = joules_of(smoothed(kLayout, moved, 80.0, 400.0), functional);
      EXPECT_NEAR(error.weights[k], after - before, 1e-9) << "reading " << k << " seed " << seed;
    }
  }
}

// ... also where power deviates from its walk by what begins anew now and then.
TEST(PowerSmoother, WeightsAreDerivativesWherePowerDeviates) {
  const StateLayout layout{{0.013}, {{0}, {1}}, true};
  std::vector<Planned> steps = random_steps(5);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool renews = i % 7 == 0;
    steps[i].swing = {i % 4 == 0 ? 0.0 : 100.0, renews ? 0.04 : 0.001, renews};
  }
  const Functional functional{30, std::vector<double>(25, 1.0)};
  const PowerSmoother smoother = smoothed(layout, steps, 80.0, 400.0);
  const FunctionalError error = smoother.error_of(functional);
  const double before = joules_of(smoother, functional);
  for (std::size_t k = 0; k < error.weights.size(); ++k) {
    std::vector<Planned> moved = steps;
    moved[smoother.step_of(error.first_reading + k)].end->value += 1.0;
    const double after = joules_of(smoothed(layout, moved, 80.0, 400.0), functional);
    EXPECT_NEAR(error.weights[k], after - before, 1e-9) << "reading " << k;
  }
}

// Readings that are off by a column make the power be off by the response to it.
TEST(PowerSmoother, RespondsToColumnsAsToReadings) {
  const StateLayout deviates{{0.013}, {{0}, {1}}, true};
  for (const StateLayout& layout : {kLayout, deviates}) {
    std::vector<Planned> steps = random_steps(7);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i].swing = {i % 4 == 0 ? 0.0 : 100.0, i % 7 == 0 ? 0.04 : 0.001, i % 7 == 0};
    }
    const PowerSmoother smoother = smoothed(layout, steps, 80.0, 400.0);
    for (const std::size_t width : {1U, 3U, 8U}) {
      std::vector<double> columns(smoother.readings() * width);
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i] = std::sin(0.7 * static_cast<double>(i));
      const std::vector<float> responses = smoother.responses_to(columns, width);
      for (std::size_t c = 0; c < width; ++c) {
        std::vector<Planned> moved = steps;
        for (std::size_t k = 0; k < smoother.readings(); ++k) {
          moved[smoother.step_of(k)].end->value += columns[k * width + c];
        }
        const PowerSmoother after = smoothed(layout, moved, 80.0, 400.0);
        for (std::size_t i = 0; i < steps.size(); ++i) {
          EXPECT_NEAR(responses[i * width + c], after.power(i) - smoother.power(i), 1e-4) << i;
        }
      }
    }
  }
}

// One reading at once of a power that is 50 W times a deviation of variance 1, with a noise of
// 50 W: half of it is believed, and half of the variance stays.
TEST(PowerSmoother, ADeviationTakesItsShareOfAReading) {
  const Planned open{.length = 1.0, .end = {{StepAction::open, 1}}};
  const Planned read{.length = 2.0,
                     .end = {{StepAction::read, 1, 0.5, 100.0, 2500.0}},
                     .swing = {50.0, 1.0, true}};
  const PowerSmoother smoother = smoothed({{}, {{0}}, true}, {open, read}, 80.0, 1e-12);
  EXPECT_NEAR(smoother.power(1), 80 + 20.0 / 2, 1e-6);
  EXPECT_NEAR(smoother.error_of({1, {1.0}}).variance, 4 * 2500.0 / 2, 1e-3);
}

// A counter that looks for a quarter of the time and charges four times what it saw: what it did
// not see it tells nothing of.
TEST(PowerSmoother, AnIntegralThatRestsTellsOfItsLooksAlone) {
  const double jump = 900.0;
  const Planned open{.end = {{StepAction::open, 1}}};
  const Planned look{.length = 0.5, .jump_variance = jump};
  const Planned rest{.length = 1.5,
                     .jump_variance = jump,
                     .end = {{StepAction::count, 1, 1.0, 200.0, 1e-9}},
                     .resting = 1};
  const PowerSmoother smoother = smoothed({{}, {{0, 4.0}}}, {open, look, rest}, 80.0, 1e-12);
  EXPECT_NEAR(smoother.power(1), 100.0, 1e-6);
  EXPECT_NEAR(smoother.power(2), 100.0, 1e-6);
  EXPECT_NEAR(smoother.error_of({1, {1.0}}).variance, 0.0, 1e-6);
  EXPECT_NEAR(smoother.error_of({2, {1.0}}).variance, 1.5 * 1.5 * jump, 1e-3);
  EXPECT_NEAR(smoother.readings_of(std::vector<double>{80.0, 120.0, 500.0}).front(), 240.0, 1e-9);
}

// What readings_of() says of a course is what a smoother whose readings it gives finds.
TEST(PowerSmoother, ReadingsOfACourseGiveItsIntegralBack) {
  std::vector<Planned> steps = random_steps(4);
  std::vector<double> power;
  for (std::size_t i = 0; i < steps.size(); ++i) power.push_back(i < 40 ? 80.0 : 180.0);
  const PowerSmoother any = smoothed(kLayout, steps, 80.0, 400.0);
  const std::vector<double> readings = any.readings_of(power);
  for (std::size_t k = 0; k < readings.size(); ++k) {
    steps[any.step_of(k)].end->value = readings[k];
    steps[any.step_of(k)].end->variance = 1e-6;
  }
  const PowerSmoother smoother = smoothed(kLayout, steps, 80.0, 1e-9);
  for (std::size_t k = 0; k < readings.size(); ++k) {
    EXPECT_NEAR(smoother.fitted(k), readings[k], 1e-2) << k;
  }
}

}  // namespace
}  // namespace truewatt::energy
