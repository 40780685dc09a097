#include "truewatt/trace/meter_trace.hpp"

#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;

HostTime at_meter_ms(int ms) { return HostTime(milliseconds(ms)); }

/// 0 W at 0 s, 100 W at 1 s, 100 W at 2 s, 0 W at 4 s.
MeterTrace ramp() {
  MeterTrace meter;
  meter.axis = MeterAxis::host;
  meter.samples = {{at_meter_ms(0), 0.0},
                   {at_meter_ms(1000), 100.0},
                   {at_meter_ms(2000), 100.0},
                   {at_meter_ms(4000), 0.0}};
  return meter;
}

TEST(MeterTrace, EnergyIsTheTrapezoidSum) {
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at_meter_ms(0), at_meter_ms(4000))->value(),
                   50.0 + 100.0 + 100.0);
}

TEST(MeterTrace, EnergyIsLinearInsideSamples) {
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at_meter_ms(500), at_meter_ms(3000))->value(),
                   37.5 + 100.0 + 75.0);
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at_meter_ms(250), at_meter_ms(750))->value(), 25.0);
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at_meter_ms(1000), at_meter_ms(1000))->value(), 0.0);
}

TEST(MeterTrace, SplittingAWindowConservesEnergy) {
  const double whole = meter_energy(ramp(), at_meter_ms(100), at_meter_ms(3900))->value();
  for (int cut = 100; cut <= 3900; cut += 190) {
    const double parts = meter_energy(ramp(), at_meter_ms(100), at_meter_ms(cut))->value() +
                         meter_energy(ramp(), at_meter_ms(cut), at_meter_ms(3900))->value();
    EXPECT_NEAR(parts, whole, 1e-12 * whole) << cut;  // a few roundings of doubles
  }
}

TEST(MeterTrace, EnergyIsAbsentWhereTheMeterDidNotRead) {
  EXPECT_FALSE(meter_energy(ramp(), at_meter_ms(-1), at_meter_ms(1000)));
  EXPECT_FALSE(meter_energy(ramp(), at_meter_ms(1000), at_meter_ms(4001)));
  EXPECT_FALSE(meter_energy(ramp(), at_meter_ms(2000), at_meter_ms(1000)));
  EXPECT_FALSE(meter_energy(MeterTrace{}, at_meter_ms(0), at_meter_ms(1)));
}

TEST(MeterTrace, RelativeTimesCountFromTheFirstReading) {
  MeterTrace meter = ramp();
  meter.axis = MeterAxis::recording;
  EXPECT_EQ(place_meter(meter, Recording{}).error().code, Errc::insufficient_data);
  Recording recording;
  recording.traces.emplace_back();
  recording.traces[0].begin = at_meter_ms(70'000);
  recording.traces[0].samples.emplace_back();
  const auto placed = place_meter(meter, recording);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->axis, MeterAxis::host);
  EXPECT_EQ(placed->samples[1].time, at_meter_ms(71'000));
  EXPECT_EQ(place_meter(*placed, recording)->samples[1].time, at_meter_ms(71'000));
}

TEST(MeterTrace, EpochTimesGoThroughTheClockPairs) {
  MeterTrace meter = ramp();
  meter.axis = MeterAxis::utc;
  EXPECT_EQ(place_meter(meter, Recording{}).error().code, Errc::unsupported);
  Recording recording;
  recording.clock_pairs = {{at_meter_ms(500), DriverTime(milliseconds(0)), Nanoseconds(0)}};
  EXPECT_EQ(place_meter(meter, recording)->samples[1].time, at_meter_ms(1500));
}

}  // namespace
}  // namespace truewatt::trace
