#include "truewatt/identification/fit/observation_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/fit/fit_uncertainty.hpp"
#include "truewatt/identification/fit/load_response.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kObservedIdle = 60.0;
constexpr double kObservedStep = 250.0;
constexpr double kObservedNoise = 0.5;
constexpr double kObservedPeriod = 0.02;

struct Sensor {
  double window = 0.0;
  double lag = 0.0;
  double delay = 0.003;
  double overshoot = 0.0;
};

std::vector<ticks::Tick> readings_of(const Sensor& sensor, const std::vector<Work>& work,
                                     double length, std::mt19937& rng) {
  std::normal_distribution<double> noise(0.0, kObservedNoise);
  std::vector<double> ticks;
  for (double t = 0.5; t < length; t += kObservedPeriod) ticks.push_back(t);
  const ObservationModel model{.averaging_window = Seconds(sensor.window),
                               .time_constant = Seconds(sensor.lag),
                               .delay = Seconds(sensor.delay)};
  const auto settled = LoadResponse(work, Shape::settled).at(ticks, model);
  const auto over = LoadResponse(work, Shape::decay, 0.15).at(ticks, model);
  std::vector<ticks::Tick> readings;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double power =
        kObservedIdle + kObservedStep * (settled[i].reading + sensor.overshoot * over[i].reading);
    readings.push_back({ticks[i], 1e-5, power + noise(rng)});
  }
  return readings;
}

ObservationFit fit_of(const Sensor& sensor) {
  std::mt19937 rng(7);
  const auto work = random_work(15.0, 0.004, 0.06, rng);
  const auto readings = readings_of(sensor, work, 15.0, rng);
  return fit_observation({readings, work}, kObservedPeriod).value();
}

void expect_in_interval(const Interval& interval, double truth) {
  EXPECT_LE(interval.lower, truth);
  EXPECT_GE(interval.upper, truth);
}

TEST(ObservationFit, FindsABoxcar) {
  const auto fit = fit_of({.window = 0.010, .overshoot = 0.1});
  EXPECT_FALSE(fit.joint.structure.lag);
  EXPECT_NEAR(fit.averaging_window.value, 0.010, 1e-4);
  expect_in_interval(fit.averaging_window, 0.010);
  expect_in_interval(fit.delay, 0.003);
  EXPECT_LT(fit.time_constant.upper, 1e-3);
  EXPECT_NEAR(fit.amplitude.value, kObservedStep, 5 * fit.amplitude.standard_uncertainty);
  EXPECT_NEAR(fit.idle.value, kObservedIdle, 0.5);
  EXPECT_NEAR(fit.noise_sd_w, kObservedNoise, 0.1);
}

TEST(ObservationFit, FindsAFilterAndNotItsEquivalentBoxcar) {
  const auto fit = fit_of({.window = 0.001, .lag = 0.013});
  EXPECT_TRUE(fit.joint.structure.lag);
  EXPECT_NEAR(fit.time_constant.value, 0.013, 2e-4);
  expect_in_interval(fit.time_constant, 0.013);
  EXPECT_LT(fit.averaging_window.upper, 0.003);
  // The boxcar alone leaves several times the noise.
  const JointFit& boxcar = fit.structures.front();
  ASSERT_FALSE(boxcar.structure.lag);
  EXPECT_GT(boxcar.cost, 4 * fit.joint.cost);
}

TEST(ObservationFit, FindsWindowAndFilterTogether) {
  const auto fit = fit_of({.window = 0.030, .lag = 0.050});
  EXPECT_NEAR(fit.averaging_window.value, 0.030, 2e-3);
  EXPECT_NEAR(fit.time_constant.value, 0.050, 1e-3);
  expect_in_interval(fit.averaging_window, 0.030);
  expect_in_interval(fit.time_constant, 0.050);
}

TEST(ObservationFit, OnlyBoundsAWindowFarBelowTheLag) {
  const auto fit = fit_of({.window = 0.001, .lag = 0.8});
  EXPECT_NEAR(fit.time_constant.value, 0.8, 0.02);
  EXPECT_EQ(fit.averaging_window.lower, 0.0);
  EXPECT_GE(fit.averaging_window.upper, 0.001);
}

/// Readings of 15 s of random work behind a 13 ms lag, with everything that `change` makes of it.
struct LaggedBoard {
  std::vector<Work> work;
  std::vector<ticks::Tick> readings;
  JointFit truth;
};
template <typename Change>
LaggedBoard lagged_board(Change change) {
  std::mt19937 rng(7);
  LaggedBoard board{.work = random_work(15.0, 0.004, 0.3, rng)};
  board.truth.structure = {.lag = true};
  board.truth.parameters = {std::log(1e-3), 0.003, std::log(0.013)};
  board.truth.idle_w = kObservedIdle;
  board.truth.amplitude_w = kObservedStep;
  change(board.truth);
  std::normal_distribution<double> noise(0.0, kObservedNoise);
  for (double t = 0.5; t < 15.0; t += kObservedPeriod) board.readings.push_back({t, 1e-5, 0.0});
  const auto values = identification::readings_of(board.truth, board.readings, board.work);
  for (std::size_t k = 0; k < values.size(); ++k) board.readings[k].value = values[k] + noise(rng);
  return board;
}

TEST(ObservationFit, TellsWarmthFromLag) {
  const auto board = lagged_board([](JointFit& truth) {
    truth.structure.warmth = true;
    truth.warmth_share = 0.015;
    truth.parameters[kLogWarmth] = std::log(0.3);
  });
  const auto fit = fit_observation({board.readings, board.work}, kObservedPeriod).value();
  ASSERT_TRUE(fit.joint.structure.warmth);
  EXPECT_NEAR(fit.joint.warmth_share, 0.015, 0.003);
  EXPECT_NEAR(std::exp(fit.joint.parameters[kLogWarmth]), 0.3, 0.1);
  expect_in_interval(fit.time_constant, 0.013);
  EXPECT_FALSE(fit.lag_ambiguous);
  const auto cold = lagged_board([](JointFit&) {});
  EXPECT_FALSE(
      fit_observation({cold.readings, cold.work}, kObservedPeriod)->joint.structure.warmth);
}

TEST(ObservationFit, TotalLagIsKnownWhereItsPartsAreNot) {
  // The rise and the overshoot nearly cancel: their difference is all that readings show.
  const auto board = lagged_board([](JointFit& truth) {
    truth.structure = {.lag = true, .slow_rise = true, .overshoot = true};
    truth.rise_share = 0.30;
    truth.parameters[kLogRise] = std::log(0.040);
    truth.overshoot_share = 0.10;
    truth.parameters[kLogOvershoot] = std::log(0.045);
  });
  const auto fit = fit_observation({board.readings, board.work}, kObservedPeriod).value();
  const double truth = 0.003 + 0.0005 + 0.013 + 0.30 * 0.040 - 0.10 * 0.045;
  EXPECT_DOUBLE_EQ(total_lag(board.truth), truth);
  EXPECT_NEAR(total_lag(fit.joint), truth, 2 * fit.joint.total_lag_sd_s);
  EXPECT_NEAR(total_lag(fit.joint), truth, 0.05 * truth);
}

TEST(LikelyTickJitter, IsFoundWhereReadingsRiseAndFall) {
  for (const double jitter : {0.0, 0.4e-3}) {
    auto board = lagged_board([](JointFit&) {});
    std::mt19937 rng(3);
    std::normal_distribution<double> strays(0.0, 1.0);
    for (ticks::Tick& reading : board.readings) reading.time += jitter * strays(rng);
    const auto fit = fit_observation({board.readings, board.work}, kObservedPeriod).value();
    EXPECT_NEAR(likely_tick_jitter(fit.joint), jitter, 0.25 * jitter);
  }
}

TEST(ObservationFit, ContinuesFromAnEarlierOne) {
  std::mt19937 rng(7);
  const Sensor sensor{.window = 0.010};
  const auto work = random_work(15.0, 0.004, 0.06, rng);
  const auto readings = readings_of(sensor, work, 15.0, rng);
  const auto half = std::span(readings).first(readings.size() / 2);
  const auto earlier = fit_observation({half, work}, kObservedPeriod).value();
  const auto fit = fit_observation({readings, work}, kObservedPeriod, earlier.structures).value();
  expect_in_interval(fit.averaging_window, 0.010);
  EXPECT_LT(fit.averaging_window.upper - fit.averaging_window.lower,
            earlier.averaging_window.upper - earlier.averaging_window.lower);
}

TEST(ObservationFit, GivesGainAndOffsetAgainstAMeter) {
  std::mt19937 rng(7);
  const auto work = random_work(15.0, 0.004, 0.06, rng);
  PowerSignal power(50.0, {1.0, 1.0, 1.0});
  for (const Work& stretch : work) {
    power.append({stretch.begin, 300.0, {}});
    power.append({stretch.end, 50.0, {}});
  }
  // The sensor shows 0.95 of the power and 3 W more.
  std::vector<ticks::Tick> readings = readings_of({.window = 0.010}, work, 15.0, rng);
  for (ticks::Tick& reading : readings) {
    const double true_power = 50.0 + (reading.value - kObservedIdle);
    reading.value = 0.95 * true_power + 3.0;
  }
  const auto fit = fit_observation({readings, {}, &power}, kObservedPeriod).value();
  EXPECT_NEAR(fit.amplitude.value, 0.95, 4 * fit.amplitude.standard_uncertainty);
  EXPECT_NEAR(fit.idle.value, 3.0, 4 * fit.idle.standard_uncertainty);
  EXPECT_LT(fit.amplitude.standard_uncertainty, 0.002);
  expect_in_interval(fit.averaging_window, 0.010);
}

TEST(ObservationFit, RefusesTooLittle) {
  std::mt19937 rng(7);
  const auto work = random_work(6.0, 0.004, 0.06, rng);
  const auto readings = readings_of({.window = 0.01}, work, 6.0, rng);
  EXPECT_EQ(fit_observation({std::span(readings).first(19), work}, kObservedPeriod).error().code,
            Errc::insufficient_data);
  EXPECT_EQ(fit_observation({readings, {}}, kObservedPeriod).error().code, Errc::insufficient_data);
}

TEST(ExpectedOf, IsWhatAFitThenKnows) {
  std::mt19937 rng(7);
  const auto work = random_work(15.0, 0.004, 0.06, rng);
  const auto fit = fit_of({.window = 0.010});
  const auto expected = expected_of(fit.joint, work, kObservedPeriod, 1e-5, 0.5, 15.0);
  const double known =
      std::log(fit.averaging_window.upper / fit.averaging_window.lower) / (2 * kCoverageFactor95);
  EXPECT_NEAR(expected.log_window_sd, known, 0.5 * known);
  EXPECT_EQ(expected.log_lag_sd, 0.0);
}

}  // namespace
}  // namespace truewatt::identification
