#include "truewatt/calibrate/calibration_levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::calibrate {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{100s};

HostTime at(double seconds) { return kStart + to_nanoseconds(Seconds(seconds)); }

/// 100 W, and 300 W from 4 to 10 s; the sensor shows 0.9 of it less 5 W.
double power(double t) { return t >= 4.0 && t < 10.0 ? 300.0 : 100.0; }

trace::MeterTrace metered_between(double from, double to) {
  trace::MeterTrace meter{.meter = "PMD-USB", .axis = trace::MeterAxis::host};
  for (int i = 0; from + 0.001 * i <= to; ++i) {
    const double t = from + 0.001 * i;
    meter.samples.push_back({at(t), power(t)});
  }
  return meter;
}

Trace shown(SourceKind kind, double to) {
  Trace trace{.source = {kind, Scope::gpu}, .begin = at(0), .end = at(to)};
  double joules = 0.0;
  for (int k = 0; 0.1 * k <= to; ++k) {
    const double watts = 0.9 * power(0.1 * k - 0.05) - 5.0;
    joules += 0.1 * watts;
    const bool counts = counts_energy(trace.source);
    trace.samples.push_back({at(0.1 * k), at(0.1 * k), std::nullopt, counts ? joules : watts});
  }
  return trace;
}

TEST(CalibrationLevels, AreThePlateauAndTheIdleBeforeIt) {
  for (const SourceKind kind : {SourceKind::power_instant, SourceKind::energy_counter}) {
    const auto levels =
        levels_of(shown(kind, 12), metered_between(0, 12), {{at(4), at(10), "load"}});
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_NEAR(levels[0].mean.meter_w, 100.0, 1e-9);
    EXPECT_NEAR(levels[0].mean.sensor_w, 85.0, 1e-6);
    EXPECT_NEAR(levels[1].mean.meter_w, 300.0, 1e-9);
    EXPECT_NEAR(levels[1].mean.sensor_w, 265.0, 1e-6);
    EXPECT_NEAR(levels[1].sd, 0.0, 1e-6);
  }
}

TEST(CalibrationLevels, IdleSoonAfterALoadIsNone) {
  const Trace trace = shown(SourceKind::power_instant, 20);
  const auto count = [&](double second) {
    return levels_of(trace, metered_between(0, 20),
                     {{at(4), at(10), "load"}, {at(second), at(second + 1), "short"}})
        .size();
  };
  EXPECT_EQ(count(11.0), 2U);
  EXPECT_EQ(count(12.4), 2U);  // 0.38 s of it have settled
  EXPECT_EQ(count(12.6), 3U);
}

TEST(CalibrationLevels, IdleOfABoardThatWokeUpIsNone) {
  trace::MeterTrace meter = metered_between(0, 12);
  for (trace::MeterSample& sample : meter.samples) {
    if (sample.time < at(2.5)) sample.power_w = 30.0;
  }
  const auto levels =
      levels_of(shown(SourceKind::power_instant, 12), meter, {{at(4), at(10), "load"}});
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_NEAR(levels[0].mean.meter_w, 300.0, 1e-9);
}

TEST(CalibrationLevels, WhatTheMeterDoesNotCoverIsLeftOut) {
  const Trace trace = shown(SourceKind::power_instant, 12);
  const std::vector<Window> windows{{at(4), at(10), "load"}};
  EXPECT_EQ(levels_of(trace, metered_between(0, 8), windows).size(), 1U);   // idle
  EXPECT_EQ(levels_of(trace, metered_between(5, 12), windows).size(), 1U);  // plateau
  EXPECT_TRUE(levels_of(trace, {}, windows).empty());
}

}  // namespace
}  // namespace truewatt::calibrate
