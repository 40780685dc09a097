#include "truewatt/model/power_signal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/model/observation_model.hpp"

namespace truewatt {
namespace {

TEST(PowerSignal, IntegratesAStepExactly) {
  PowerSignal signal(100.0, {1.0, 1.0, 1.0});
  signal.append({.begin = 2.0, .constant = 300.0});
  signal.append({.begin = 5.0, .constant = 100.0});
  EXPECT_DOUBLE_EQ(signal.integral(6.0) - signal.integral(1.0), 100 + 3 * 300 + 100);
  EXPECT_DOUBLE_EQ(signal.integral(-1.0), -100.0);
  EXPECT_DOUBLE_EQ(signal.value(2.0), 300.0);
}

TEST(PowerSignal, IntegratesADecayExactly) {
  PowerSignal signal(0.0, {0.5, 1.0, 1.0});
  signal.append({.begin = 1.0, .constant = 10.0, .amplitudes = {-10.0, 0.0, 0.0}});
  const double s = 2.0;
  EXPECT_NEAR(signal.integral(1.0 + s), 10 * s - 10 * 0.5 * (1 - std::exp(-s / 0.5)), 1e-12);
}

TEST(LaggedSignal, FollowsAStepAsOneMinusExp) {
  PowerSignal signal(50.0, {1.0, 1.0, 1.0});
  signal.append({.begin = 1.0, .constant = 150.0});
  const LaggedSignal lagged(signal, 0.84);
  EXPECT_DOUBLE_EQ(lagged.value(0.5), 50.0);
  EXPECT_NEAR(lagged.value(1.84), 50 + 100 * (1 - std::exp(-1.0)), 1e-12);
}

TEST(LaggedSignal, ConservesEnergyOnceSettled) {
  PowerSignal signal(50.0, {1.0, 1.0, 1.0});
  signal.append({.begin = 1.0, .constant = 150.0});
  signal.append({.begin = 2.0, .constant = 50.0});
  const LaggedSignal lagged(signal, 0.05);
  EXPECT_NEAR(lagged.integral(6.0), signal.integral(6.0), 1e-9);
}

TEST(LaggedDecay, IsContinuousWhereTheTwoDecaysMeet) {
  // At equality the limit is (s/tau) exp(-s/tau).
  const double limit = 0.7 / 0.3 * std::exp(-0.7 / 0.3);
  EXPECT_NEAR(lagged_decay(0.7, 0.3, 0.3), limit, 1e-15);
  EXPECT_NEAR(lagged_decay(0.7, 0.3, 0.3 * (1 + 1e-9)), limit, 1e-9);
  EXPECT_NEAR(lagged_decay(0.7, 0.3 * (1 + 1e-9), 0.3), limit, 1e-9);
}

TEST(LaggedDecay, MatchesItsDefinitionAwayFromThere) {
  for (const auto& [decay, lag] : {std::pair{0.01, 2.0}, {2.0, 0.01}, {0.3, 0.5}}) {
    const double s = 0.4;
    const double expected = (std::exp(-s / decay) - std::exp(-s / lag)) / (1 - lag / decay);
    EXPECT_NEAR(lagged_decay(s, decay, lag), expected, 1e-12);
  }
}

/// A random signal of `edges` segments over ten seconds.
PowerSignal random_signal(std::mt19937& rng, int edges) {
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  PowerSignal signal(50 + 100 * unit(rng),
                     {0.01 + unit(rng), 0.002 + 0.2 * unit(rng), 1 + 30 * unit(rng)});
  double t = 0.0;
  for (int i = 0; i < edges; ++i) {
    t += 10.0 / edges * unit(rng);
    signal.append({.begin = t,
                   .constant = 50 + 350 * unit(rng),
                   .amplitudes = {-80 * unit(rng), 40 * unit(rng), 10 * unit(rng) - 5}});
  }
  return signal;
}

/// Runge-Kutta for C dz/dt = P - z and its integrals: an oracle that shares nothing with the closed
/// forms but the signal's value. Steps are cut at the signal's edges, where P jumps.
struct BruteForce {
  double z = 0.0, integral = 0.0, double_integral = 0.0;
  void run(const PowerSignal& signal, double lag, double from, double to, double step) {
    double t = from;
    while (t < to) {
      double end = std::min(t + step, to);
      const std::size_t next = signal.index_of(t) + 1;
      if (next < signal.segments().size()) end = std::min(end, signal.segments()[next].begin);
      if (end <= t) end = std::nextafter(t, to);
      advance(signal, lag, t, end);
      t = end;
    }
  }
  void advance(const PowerSignal& signal, double lag, double t, double end) {
    const double h = end - t;
    // Just inside the step's ends, so that a jump at an end is not seen.
    const double p0 = signal.value(t);
    const double p1 = signal.value(t + h / 2);
    const double p2 = signal.value(std::nextafter(end, t));
    const double k1 = (p0 - z) / lag;
    const double k2 = (p1 - (z + h / 2 * k1)) / lag;
    const double k3 = (p1 - (z + h / 2 * k2)) / lag;
    const double k4 = (p2 - (z + h * k3)) / lag;
    const double z_mid = z + h / 2 * (k1 + k2) / 2;
    const double z_end = z + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    double_integral += h * (integral + h * (z + 2 * z_mid) / 6);
    integral += h / 6 * (z + 4 * z_mid + z_end);
    z = z_end;
  }
};

TEST(LaggedSignal, AgreesWithBruteForceIntegrationOnRandomSignals) {
  std::mt19937 rng(20240611);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  for (int trial = 0; trial < 40; ++trial) {
    const PowerSignal signal = random_signal(rng, 12);
    const double lag = trial % 5 == 0 ? signal.decay_times()[0] : 0.005 + unit(rng);
    const LaggedSignal lagged(signal, lag);
    const double until = 2.0 + 10.0 * unit(rng);
    BruteForce oracle{.z = signal.value(-1.0)};
    // Fourth order: 0.1 ms steps against time constants >= 2 ms leave errors below 1e-6 of 400 W.
    oracle.run(signal, lag, 0.0, until, 1e-4);
    EXPECT_NEAR(lagged.value(until), oracle.z, 1e-3) << "trial " << trial;
    EXPECT_NEAR(lagged.integral(until), oracle.integral, 1e-3) << "trial " << trial;
    EXPECT_NEAR(lagged.double_integral(until), oracle.double_integral, 1e-2) << "trial " << trial;
  }
}

TEST(PowerReading, IsTheMeanOverItsWindowBehindItsDelay) {
  PowerSignal signal(100.0, {1.0, 1.0, 1.0});
  signal.append({.begin = 1.0, .constant = 300.0});
  const LaggedSignal lagged(signal, 0.0);
  const ObservationModel model{
      .averaging_window = Seconds(0.1), .delay = Seconds(0.02), .gain = 0.95, .offset = Watts(2.0)};
  // Tick 1.07 looks at [0.95, 1.05]: half at 100 W, half at 300 W.
  EXPECT_NEAR(power_reading(model, lagged, 1.07), 0.95 * 200 + 2, 1e-9);
}

TEST(ExactCounter, SumsItsOwnReadings) {
  PowerSignal signal(100.0, {1.0, 1.0, 1.0});
  signal.append({.begin = 1.0, .constant = 300.0});
  signal.append({.begin = 2.5, .constant = 100.0});
  const LaggedSignal lagged(signal, 0.013);
  const ObservationModel model{.averaging_window = Seconds(0.2),
                               .time_constant = Seconds(0.013),
                               .delay = Seconds(0.01),
                               .gain = 1.1,
                               .offset = Watts(-3)};
  double sum = 0.0;
  const double step = 1e-4;
  for (int i = 0; i < 40000; ++i) {
    sum += power_reading(model, lagged, (i + 0.5) * step) * step;
  }
  EXPECT_NEAR(exact_counter(model, lagged, 4.0), sum, 1e-4);
  EXPECT_DOUBLE_EQ(exact_counter(model, lagged, 0.0), 0.0);
}

TEST(Duty, CountsTheLagTwice) {
  EXPECT_DOUBLE_EQ(duty({.update_period = Seconds(0.1), .time_constant = Seconds(0.013)}), 0.26);
  EXPECT_DOUBLE_EQ(duty({.update_period = Seconds(0.1), .averaging_window = Seconds(1.0)}), 1.0);
}

}  // namespace
}  // namespace truewatt
