#include "truewatt/trace/meter_trace.hpp"

#include <gtest/gtest.h>

namespace truewatt::trace {
namespace {

using std::chrono::milliseconds;

HostTime at(int ms) { return HostTime(milliseconds(ms)); }

/// 0 W at 0 s, 100 W at 1 s, 100 W at 2 s, 0 W at 4 s.
MeterTrace ramp() {
  MeterTrace meter;
  meter.axis = MeterAxis::host;
  meter.samples = {{at(0), 0.0}, {at(1000), 100.0}, {at(2000), 100.0}, {at(4000), 0.0}};
  return meter;
}

TEST(MeterTrace, EnergyIsTheTrapezoidSum) {
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at(0), at(4000))->value(), 50.0 + 100.0 + 100.0);
}

TEST(MeterTrace, EnergyIsLinearInsideSamples) {
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at(500), at(3000))->value(), 37.5 + 100.0 + 75.0);
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at(250), at(750))->value(), 25.0);
  EXPECT_DOUBLE_EQ(meter_energy(ramp(), at(1000), at(1000))->value(), 0.0);
}

TEST(MeterTrace, SplittingAWindowConservesEnergy) {
  const double whole = meter_energy(ramp(), at(100), at(3900))->value();
  for (int cut = 100; cut <= 3900; cut += 190) {
    const double parts = meter_energy(ramp(), at(100), at(cut))->value() +
                         meter_energy(ramp(), at(cut), at(3900))->value();
    EXPECT_NEAR(parts, whole, 1e-12 * whole) << cut;  // a few roundings of doubles
  }
}

TEST(MeterTrace, EnergyIsAbsentWhereTheMeterDidNotRead) {
  EXPECT_FALSE(meter_energy(ramp(), at(-1), at(1000)));
  EXPECT_FALSE(meter_energy(ramp(), at(1000), at(4001)));
  EXPECT_FALSE(meter_energy(ramp(), at(2000), at(1000)));
  EXPECT_FALSE(meter_energy(MeterTrace{}, at(0), at(1)));
}

TEST(MeterTrace, RelativeTimesCountFromTheFirstReading) {
  MeterTrace meter = ramp();
  meter.axis = MeterAxis::recording;
  EXPECT_EQ(place_meter(meter, Recording{}).error().code, Errc::insufficient_data);
  Recording recording;
  recording.traces.emplace_back();
  recording.traces[0].begin = at(70'000);
  recording.traces[0].samples.emplace_back();
  const auto placed = place_meter(meter, recording);
  ASSERT_TRUE(placed);
  EXPECT_EQ(placed->axis, MeterAxis::host);
  EXPECT_EQ(placed->samples[1].time, at(71'000));
  EXPECT_EQ(place_meter(*placed, recording)->samples[1].time, at(71'000));
}

TEST(MeterTrace, EpochTimesGoThroughTheClockPairs) {
  MeterTrace meter = ramp();
  meter.axis = MeterAxis::utc;
  EXPECT_EQ(place_meter(meter, Recording{}).error().code, Errc::unsupported);
  Recording recording;
  recording.clock_pairs = {{at(500), DriverTime(milliseconds(0)), Nanoseconds(0)}};
  EXPECT_EQ(place_meter(meter, recording)->samples[1].time, at(1500));
}

}  // namespace
}  // namespace truewatt::trace
