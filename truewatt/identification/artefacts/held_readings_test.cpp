#include "truewatt/identification/artefacts/held_readings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/fit/load_response.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kHold = 0.02;
constexpr double kPhase = 0.0073;
constexpr double kHeldDelay = 0.002;
constexpr double kLag = 0.013;
constexpr double kHeldLength = 50.0;

struct Refreshed {
  std::vector<Work> work;
  std::vector<ticks::Tick> readings;
};

/// A cache refreshed every `period` shows a lag's readings that are `hold` old at most.
Refreshed refreshed(double period, double hold, unsigned seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<double> noise(0.0, 0.5);
  Refreshed made{.work = random_work(kHeldLength, 0.03, 0.3, rng), .readings = {}};
  std::vector<double> taken;
  for (double t = 0.5; t < kHeldLength; t += period) {
    made.readings.push_back({t, 2e-4, 0.0});
    taken.push_back(kPhase + hold * std::floor((t - kPhase) / hold));
  }
  const ObservationModel model{.averaging_window = Seconds(0.001),
                               .time_constant = Seconds(kLag),
                               .delay = Seconds(kHeldDelay)};
  const auto responses = LoadResponse(made.work, Shape::settled).at(taken, model);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    made.readings[i].value = 100 + 250 * responses[i].reading + noise(rng);
  }
  return made;
}

void expect_in(const Interval& interval, double truth) {
  EXPECT_LE(interval.lower, truth);
  EXPECT_GE(interval.upper, truth);
}

TEST(HeldReadings, OfACacheThatDriftsThroughTheHoldAreTakenBack) {
  const Refreshed made = refreshed(0.10004, kHold, 1);
  const FitData data{made.readings, made.work};
  const auto plain = fit_observation(data, 0.1);
  ASSERT_TRUE(plain);
  const auto held = fit_held(data, *plain, 0.1, kHold);
  ASSERT_TRUE(held);
  EXPECT_NEAR(held->phase, kPhase, kHold / 30);
  EXPECT_NEAR(held->fit.delay.value, kHeldDelay, 1e-3);
  expect_in(held->fit.delay, kHeldDelay);
  expect_in(held->fit.time_constant, kLag);
  EXPECT_LT(held->fit.noise_sd_w, plain->noise_sd_w / 2);
}

TEST(HeldReadings, ThatHardlyDriftLeaveTheDelayOpen) {
  // 4 ms of drift in 50 s: 16 ms of the hold are never met.
  const Refreshed made = refreshed(0.100008, kHold, 2);
  const FitData data{made.readings, made.work};
  const auto plain = fit_observation(data, 0.1);
  ASSERT_TRUE(plain);
  const auto held = fit_held(data, *plain, 0.1, kHold);
  ASSERT_TRUE(held);
  expect_in(held->fit.delay, kHeldDelay);
  EXPECT_GT(held->fit.delay.upper - held->fit.delay.lower, 0.010);
}

TEST(HeldReadings, AreNotSeenWhereTheValueIsFresh) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    const Refreshed made = refreshed(0.10004, 1e-3, seed);
    const FitData data{made.readings, made.work};
    const auto plain = fit_observation(data, 0.1);
    ASSERT_TRUE(plain);
    EXPECT_FALSE(fit_held(data, *plain, 0.1, kHold)) << seed;
  }
}

}  // namespace
}  // namespace truewatt::identification
