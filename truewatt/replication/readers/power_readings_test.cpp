#include "truewatt/replication/readers/power_readings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace truewatt::replication {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kOrigin{1000s};

/// A trace that shows these values from these milliseconds on.
Trace trace_of(const std::vector<std::pair<int, double>>& values) {
  Trace trace{.source = {SourceKind::power_usage, Scope::gpu}, .begin = kOrigin};
  for (const auto& [ms, value] : values) {
    const HostTime seen = kOrigin + ms * 1ms;
    trace.samples.push_back({.before = seen, .seen = seen, .value = value});
  }
  trace.end = trace.samples.back().seen;
  return trace;
}

const std::vector<std::pair<int, double>> kStood = {{15, 1.0},  {30, 2.0},  {45, 1.0},  {60, 3.0},
                                                    {120, 4.0}, {135, 5.0}, {150, 1.0}, {165, 2.0}};

TEST(PowerReadings, ValuesThatStandAreNewDataAtEveryUpdate) {
  std::vector<double> threes;
  for (const ticks::Tick& tick : new_readings(trace_of(kStood), kOrigin, 0.015)) {
    if (tick.value == 3.0) threes.push_back(1e3 * tick.time);
  }
  EXPECT_THAT(threes, testing::Pointwise(testing::DoubleNear(1e-6), {60.0, 75.0, 90.0, 105.0}));
}

TEST(PowerReadings, NothingIsPutWhereTheDriverWasSilent) {
  Trace trace = trace_of(kStood);
  trace.gaps.push_back({kOrigin + 70ms, kOrigin + 110ms, "timed_out"});
  const auto readings = new_readings(trace, kOrigin, 0.015);
  EXPECT_EQ(std::count_if(readings.begin(), readings.end(),
                          [](const ticks::Tick& tick) { return tick.value == 3.0; }),
            1);
}

TEST(PowerReadings, SplitsWhereItIsCut) {
  const std::vector<ticks::Tick> readings{{0, 0, 10.0}, {1, 0, 20.0}, {3, 0, 0.0}};
  EXPECT_DOUBLE_EQ(energy_of(readings, 0, 3), 35.0);
  EXPECT_DOUBLE_EQ(energy_of(readings, 0.25, 2.0) + energy_of(readings, 2.0, 3.0),
                   35.0 - 0.25 * 11.25);
  EXPECT_DOUBLE_EQ(energy_above(readings, 0, 3, 5.0).joules, 15.0);
  EXPECT_DOUBLE_EQ(energy_above(readings, 0, 3, 5.0).seconds, 1.0);
}

/// A capacitor of 0.84 s charged from 25 to 158 W, read every 15 ms with noise.
std::vector<ticks::Tick> charging(double noise_w) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0.0, noise_w);
  std::vector<ticks::Tick> readings;
  for (int i = 0; i < 4000; ++i) {
    const double t = 0.015 * i;
    readings.push_back(
        {t, 0.0, 158.0 - 133.0 * std::exp(-t / 0.84) + (noise_w > 0 ? noise(random) : 0.0)});
  }
  return readings;
}

double scatter_of(const std::vector<ticks::Tick>& power) {
  double squares = 0.0;
  for (std::size_t i = 10; i + 10 < power.size(); ++i) {
    squares += (power[i].value - 158.0) * (power[i].value - 158.0);
  }
  return std::sqrt(squares / static_cast<double>(power.size() - 20));
}

// The slope of a curve of second order is missed by (reach T / C)^2 / 6 of what is left to go.
TEST(PowerReadings, AHigherOrderSlopeGivesTheSamePower) {
  for (const std::size_t neighbours : {1U, 2U, 4U}) {
    const auto power = corrected(charging(0.0), 0.84, neighbours);
    for (std::size_t i = 4; i + 4 < power.size(); ++i) EXPECT_NEAR(power[i].value, 158.0, 0.15);
  }
}

// Of white noise: C sigma sqrt(12 / (n (n^2 - 1))) / T for n readings, C sigma / (sqrt 2 T) for the
// symmetric difference.
TEST(PowerReadings, AHigherOrderSlopeMagnifiesNoiseLess) {
  const double sharp = scatter_of(corrected(charging(0.1), 0.84));
  const double smooth = scatter_of(corrected(charging(0.1), 0.84, 4));
  EXPECT_NEAR(sharp, 0.1 * 0.84 / 0.015 / std::sqrt(2.0), 0.15);
  EXPECT_NEAR(smooth, 0.1 * 0.84 / 0.015 * std::sqrt(12.0 / (9 * 80)), 0.05);
}

}  // namespace
}  // namespace truewatt::replication
