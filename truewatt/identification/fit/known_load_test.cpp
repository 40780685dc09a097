#include "truewatt/identification/fit/known_load.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::identification {
namespace {

constexpr HostTime kOrigin{Nanoseconds(1'000'000'000)};

HostTime after(double seconds) { return kOrigin + Nanoseconds(std::llround(seconds * 1e9)); }

TEST(MeasuredPower, OfASlowMeterIsEverySampleHeldUntilTheNext) {
  const trace::MeterTrace meter{
      .samples = {{after(0.0), 10.0}, {after(0.002), 30.0}, {after(0.005), 20.0}}};
  const PowerSignal power = measured_power(meter, kOrigin);
  EXPECT_DOUBLE_EQ(power.value(0.001), 10.0);
  EXPECT_DOUBLE_EQ(power.value(0.004), 30.0);
  EXPECT_DOUBLE_EQ(power.value(1.0), 20.0);
  EXPECT_NEAR(power.integral(0.005), 0.11, 1e-12);
}

TEST(MeasuredPower, OfAQuickMeterKeepsTheEnergyAndALaggedStep) {
  trace::MeterTrace meter;
  PowerSignal exact(40.0, {1.0, 1.0, 1.0});
  exact.append({0.0504, 300.0, {}});
  for (int i = 0; i <= 2000; ++i) {
    const double t = i * 0.0001;
    meter.samples.push_back({after(t), i < 504 ? 40.0 : 300.0});
  }
  const PowerSignal power = measured_power(meter, kOrigin);
  EXPECT_LT(power.segments().size(), 300U);
  EXPECT_NEAR(power.integral(0.2), exact.integral(0.2), 1e-9);
  const LaggedSignal blocks(power, 0.013);
  const LaggedSignal truth(exact, 0.013);
  for (int i = 0; i <= 100; ++i) {
    const double t = i * 0.002;
    EXPECT_NEAR(blocks.value(t), truth.value(t), 260 * 0.0008) << t;
  }
}

TEST(MeasuredPower, OfAMeterWithoutSamplesIsNothing) {
  EXPECT_DOUBLE_EQ(measured_power({}, kOrigin).value(1.0), 0.0);
}

TEST(MeasuredPower, SamplesAtOneTimeAreNoPower) {
  const trace::MeterTrace meter{.samples = {{after(0.0), 10.0}, {after(0.0), 30.0}}};
  EXPECT_DOUBLE_EQ(measured_power(meter, kOrigin).value(0.5), 30.0);
}

}  // namespace
}  // namespace truewatt::identification
