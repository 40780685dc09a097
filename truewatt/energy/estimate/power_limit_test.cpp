// No board draws more than its power limit allows: what shows more is no measurement.

#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

constexpr SourceId kOfCounter{SourceKind::energy_counter, Scope::gpu};
constexpr Watts kLimit{700.0};

/// Idle at 80 W, three seconds of 350 W and again idle.
TestProgram plateau() { return {.idle_w = 80.0, .length = 8.0, .work = {{2.5, 5.5, 350.0}}}; }

/// 25 of every 100 ms, 100 of 100 ms, an average over a second, a counter.
std::vector<TestSensor> three_and_a_counter() {
  std::vector<TestSensor> sensors = sensors_of("a100+counter");
  sensors.push_back(sensors_of("average").front());
  sensors.push_back(sensors_of("boxcar").front());
  sensors.back().source.kind = SourceKind::power_usage;
  return sensors;
}

Recording recorded_plateau(const std::vector<TestSensor>& sensors) {
  std::mt19937_64 rng(7);
  Recording recording = record(plateau(), sensors, rng);
  recording.device.power_limit = kLimit;
  return recording;
}

Window window_between(double begin, double end) {
  return {program_begin() + to_nanoseconds(Seconds(begin)),
          program_begin() + to_nanoseconds(Seconds(end)), ""};
}

/// The counter counts so much more from a tick in the middle of the work on, and again later.
void let_leap(Recording& recording, double joules) {
  for (Trace& trace : recording.traces) {
    if (trace.source != kOfCounter) continue;
    for (Sample& sample : trace.samples) {
      const double t = seconds_between(program_begin(), sample.seen);
      sample.value += t > 5.0 ? 2 * joules : t > 4.0 ? joules : 0.0;
    }
  }
}

class Leaps : public testing::TestWithParam<double> {};

TEST_P(Leaps, AreNoEnergyAndTheirCounterIsNamed) {
  const auto sensors = three_and_a_counter();
  Recording recording = recorded_plateau(sensors);
  let_leap(recording, GetParam());
  const Profile profile = profile_of(sensors);
  for (const Knowledge& known : {Knowledge{}, Knowledge{.profile = &profile}}) {
    const auto estimate = estimate_energy(recording, window_between(2.0, 6.0), known);
    ASSERT_TRUE(estimate.energy);
    const double truth = plateau().energy(2.0, 6.0);
    EXPECT_LE(estimate.energy->interval.lower, truth);
    EXPECT_GE(estimate.energy->interval.upper, truth);
    EXPECT_NEAR(estimate.energy->interval.value, truth, 0.05 * truth);
    EXPECT_EQ(std::count(estimate.sources.begin(), estimate.sources.end(), kOfCounter), 0);
    ASSERT_EQ(estimate.dropped.size(), 1U);
    EXPECT_EQ(estimate.dropped[0].source, kOfCounter);
    EXPECT_EQ(estimate.dropped[0].reason, Reason::above_power_limit);
  }
}

INSTANTIATE_TEST_SUITE_P(PowerLimit, Leaps, testing::Values(300.0, 1000.0, 1e9));

// A board that draws 1.4 times its limit for a while, and never rests, loses no reading.
TEST(PowerLimit, DropsNothingThatABoardDraws) {
  std::vector<TestSensor> sensors = three_and_a_counter();
  std::mt19937_64 rng(8);
  TestProgram program{.idle_w = 690.0, .length = 8.0, .work = {{2.0, 2.3, 980.0}}};
  Recording recording = record(program, sensors, rng);
  const auto without = estimate_energy(recording, window_between(1.0, 7.0));
  recording.device.power_limit = kLimit;
  const auto with = estimate_energy(recording, window_between(1.0, 7.0));
  ASSERT_TRUE(with.energy && without.energy);
  EXPECT_TRUE(with.dropped.empty());
  EXPECT_EQ(with.sources, without.sources);
  EXPECT_NEAR(with.energy->interval.value, without.energy->interval.value, 0.1);
}

// A counter alone that leaps twice: each is a hole as long as the tick. It costs other windows
// nothing.
TEST(PowerLimit, MakesHolesOfTheLeapsOfACounterAlone) {
  const std::vector<TestSensor> sensors = sensors_of("counter");
  const Recording without = recorded_plateau(sensors);
  Recording recording = without;
  let_leap(recording, 1000.0);
  const auto touched = estimate_energy(recording, window_between(2.0, 6.0));
  ASSERT_TRUE(touched.energy);
  const double truth = plateau().energy(2.0, 6.0);
  EXPECT_LE(touched.energy->interval.lower, truth);
  EXPECT_GE(touched.energy->interval.upper, truth);
  EXPECT_TRUE(has_reason(touched.reasons, Reason::above_power_limit));
  EXPECT_TRUE(has_reason(touched.reasons, Reason::gap_in_readings));
  const auto away = estimate_energy(recording, window_between(2.0, 3.5));
  const auto same = estimate_energy(without, window_between(2.0, 3.5));
  ASSERT_TRUE(away.energy && same.energy);
  EXPECT_NEAR(away.energy->interval.value, same.energy->interval.value, 0.01 * truth);
  EXPECT_FALSE(has_reason(away.reasons, Reason::above_power_limit));
}

TEST(PowerLimit, LeavesNothingOfACounterThatLeapsAgainAndAgain) {
  Recording recording = recorded_plateau(sensors_of("counter"));
  for (Trace& trace : recording.traces) {
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      trace.samples[i].value += 1000.0 * static_cast<double>(i / 8);
    }
  }
  const auto estimate = estimate_energy(recording, window_between(2.0, 6.0));
  EXPECT_FALSE(estimate.energy);
  EXPECT_TRUE(has_reason(estimate.reasons, Reason::above_power_limit));
}

// A limit of the GPU says nothing of a module.
TEST(PowerLimit, IsOfTheGpuAlone) {
  std::vector<TestSensor> sensors = sensors_of("counter");
  sensors.front().source.scope = Scope::module;
  Recording recording = recorded_plateau(sensors);
  recording.device.power_limit = Watts(100.0);
  EXPECT_TRUE(estimate_energy(recording, window_between(2.0, 6.0)).energy);
}

}  // namespace
}  // namespace truewatt::energy
