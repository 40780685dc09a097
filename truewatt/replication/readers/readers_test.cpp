#include "truewatt/replication/readers/readers.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/base/time.hpp"

namespace truewatt::replication {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kEpoch{1000s};
constexpr SourceId kUsage{SourceKind::power_usage, Scope::gpu};

HostTime since_epoch(double seconds) { return kEpoch + to_nanoseconds(Seconds(seconds)); }

/// Readings of `shown(t)` every `period` over [0, length].
template <class Shown>
Trace trace_of(SourceId source, double period, double length, const Shown& shown) {
  Trace trace{.source = source, .begin = since_epoch(0), .end = since_epoch(length)};
  for (int i = 0; i * period <= length; ++i) {
    const HostTime seen = since_epoch(i * period);
    trace.samples.push_back({.before = seen, .seen = seen, .value = shown(i * period)});
  }
  return trace;
}

/// A line of 10 W a second, read once a second from 0 to 8 s: the reading held is 10 floor(t).
Recording line() {
  Recording recording;
  recording.traces = {trace_of(kUsage, 1.0, 8.0, [](double t) { return 10.0 * t; })};
  return recording;
}

double joules(energy::Reader reader, const Recording& recording, const Window& window) {
  const auto read = read_as(reader, recording, window);
  return read.energy ? read.energy->value() : std::nan("");
}

TEST(Readers, HaveNamesThatAreReadBack) {
  for (const energy::Reader reader : energy::kReaders)
    EXPECT_EQ(energy::parse_reader(energy::to_string(reader)), reader);
  EXPECT_FALSE(energy::parse_reader("nvidia-smi"));
}

TEST(Readers, NaiveHoldsTheReading) {
  EXPECT_DOUBLE_EQ(joules(energy::Reader::naive, line(), {since_epoch(2.5), since_epoch(5.0), ""}),
                   0.5 * 20 + 30 + 40);
}

// Polls every 15 ms since the capture began: 2.505 ... 4.995.
TEST(Readers, SmaIsTheMeanOfBackgroundPollsTimesTheWindow) {
  const int twenties = 33;  // 2.505 to 2.985
  const int thirties = 67;  // 3.000 to 3.990
  const int forties = 67;   // 4.005 to 4.995
  const double mean = (20.0 * twenties + 30.0 * thirties + 40.0 * forties) / 167;
  EXPECT_NEAR(joules(energy::Reader::sma, line(), {since_epoch(2.5), since_epoch(5.0), ""}),
              2.5 * mean, 1e-9);
}

TEST(Readers, SmaKnowsNothingOfAWindowBetweenItsPolls) {
  EXPECT_FALSE(
      read_as(energy::Reader::sma, line(), {since_epoch(2.506), since_epoch(2.515), ""}).energy);
}

TEST(Readers, PapiTakesTheReadingAtTheEndForAll) {
  EXPECT_DOUBLE_EQ(joules(energy::Reader::papi, line(), {since_epoch(2.5), since_epoch(5.25), ""}),
                   2.75 * 50);
}

TEST(Readers, MtsmPollsWhileWorkRanAlone) {
  Recording recording = line();
  const Window window{since_epoch(2.5), since_epoch(6.0), ""};
  EXPECT_NEAR(joules(energy::Reader::mtsm, recording, window), 0.5 * 20 + 30 + 40 + 50, 1e-6);
  recording.activity = {{since_epoch(1.0), since_epoch(3.0), {}},
                        {since_epoch(4.0), since_epoch(4.5), {}},
                        {since_epoch(7.0), since_epoch(8.0), {}}};
  const auto read = read_as(energy::Reader::mtsm, recording, window);
  EXPECT_NEAR(read.energy->value(), 0.5 * 20 + 0.5 * 40, 1e-6);
  EXPECT_NEAR(read.over.count(), 1.0, 1e-9);
}

/// A K20's board: 25 W, 158 W from 3 to 6 s, 52.5 W after it, behind a capacitor of 0.84 s.
double kepler(double t, double constant) {
  const auto toward = [constant](double from, double to, double since) {
    return constant > 0 ? to + (from - to) * std::exp(-since / constant) : to;
  };
  if (t < 3.0) return 25.0;
  if (t < 6.0) return toward(25.0, 158.0, t - 3.0);
  return toward(toward(25.0, 158.0, 3.0), 52.5, t - 6.0);
}

Recording board(double constant, const std::string& name) {
  Recording recording;
  recording.device.name = name;
  recording.traces = {
      trace_of(kUsage, 0.015, 9.0, [constant](double t) { return kepler(t, constant); })};
  return recording;
}

// Burtscher 2014, section 6.1: run time times power, of a reading that holds 1 - 0.84/3 of it at
// most.
TEST(Readers, K20PowerGivesTheKernelsEnergyBack) {
  const Window window{since_epoch(3.0), since_epoch(6.0), ""};
  const auto read = read_as(energy::Reader::k20power, board(0.84, "Tesla K20c"), window);
  ASSERT_TRUE(read.energy);
  EXPECT_NEAR(read.energy->value(), 3.0 * 158.0, 0.015 * 158.0);
  EXPECT_NEAR(read.over.count(), 3.0, 0.031);
}

TEST(Readers, K20PowerLeavesASensorWithoutACapacitorAlone) {
  const Window window{since_epoch(3.0), since_epoch(6.0), ""};
  const auto read = read_as(energy::Reader::k20power, board(0.0, "Tesla K20Xm"), window);
  EXPECT_NEAR(read.energy->value(), 3.0 * 158.0, 0.015 * 158.0);
}

TEST(Readers, K20PowerTakesItsConstantFromTheProfile) {
  Profile profile;
  SourceProfile source;
  source.source = kUsage;
  source.response = ResponseClass::exponential;
  source.time_constant_s = Interval{0.4, 0.39, 0.41, 0.95};
  profile.sources = {source};
  const Window window{since_epoch(3.0), since_epoch(6.0), ""};
  const auto read = read_as(energy::Reader::k20power, board(0.4, "Another"), window,
                            energy::Knowledge{.profile = &profile});
  EXPECT_NEAR(read.energy->value(), 3.0 * 158.0, 0.015 * 158.0);
}

TEST(Readers, TakeUsageBeforeOtherPower) {
  Recording recording = line();
  recording.traces.insert(
      recording.traces.begin(),
      trace_of({SourceKind::power_instant, Scope::gpu}, 1.0, 8.0, [](double) { return 7.0; }));
  EXPECT_EQ(read_as(energy::Reader::papi, recording, {since_epoch(2), since_epoch(3), ""}).source,
            kUsage);
  recording.traces.pop_back();
  EXPECT_DOUBLE_EQ(joules(energy::Reader::papi, recording, {since_epoch(2), since_epoch(3), ""}),
                   7.0);
}

TEST(Readers, SayNothingWithoutReadings) {
  for (const energy::Reader reader : energy::kReaders) {
    EXPECT_FALSE(read_as(reader, Recording{}, {since_epoch(2), since_epoch(3), ""}).energy);
    EXPECT_FALSE(read_as(reader, line(), {since_epoch(7), since_epoch(9), ""}).energy)
        << energy::to_string(reader);
  }
}

TEST(Readers, AreHeldAgainstTheWindowWithMoreOrLessIdle) {
  energy::EnergyEstimate estimate;
  estimate.window = Seconds(4);
  const energy::ReaderEnergy whole{energy::Reader::papi, kUsage, Joules(440), Seconds(4)};
  EXPECT_NEAR(*energy::deviation_of(whole, estimate, Joules(400)), 0.1, 1e-12);
  const energy::ReaderEnergy shorter{energy::Reader::mtsm, kUsage, Joules(315), Seconds(2)};
  EXPECT_FALSE(energy::deviation_of(shorter, estimate, Joules(400)));
  estimate.baseline = Watts(50);
  EXPECT_NEAR(*energy::deviation_of(shorter, estimate, Joules(400)), 0.05, 1e-12);
  EXPECT_FALSE(
      energy::deviation_of({energy::Reader::sma, kUsage, {}, Seconds(4)}, estimate, Joules(400)));
}

}  // namespace
}  // namespace truewatt::replication
