#include "truewatt/energy/observe/frozen_readings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

constexpr Nanoseconds kPoll = std::chrono::milliseconds(100);

/// Polled every 0.1 s: a value each, but for those at which `again` shows the one before.
template <class Again>
Trace polled_trace(int polls, double quantum, Again again) {
  std::mt19937_64 rng(1);
  std::normal_distribution<double> noise(100.0, 0.3);
  Trace trace{.source = {SourceKind::power_usage, Scope::gpu}};
  for (int i = 0; i < polls; ++i) {
    const HostTime now = HostTime() + kPoll * i;
    const double value = quantum * std::round(noise(rng) / quantum);
    const bool is_same = i > 0 && (again(i) || value == trace.samples.back().value);
    if (!is_same) trace.samples.push_back({now - kPoll, now, std::nullopt, value});
    trace.end = now;
  }
  return trace;
}

std::ptrdiff_t frozen_of(const Trace& trace) {
  const std::vector<bool> frozen = frozen_samples(trace, 0.1);
  return std::count(frozen.begin(), frozen.end(), true);
}

TEST(FrozenReadings, AreThoseThatStandWhereOthersChange) {
  EXPECT_EQ(frozen_of(polled_trace(400, 0.01, [](int i) { return i > 200 && i < 300; })), 1);
  EXPECT_EQ(frozen_of(polled_trace(400, 0.01, [](int i) { return i > 200 && i < 208; })), 0);
  EXPECT_EQ(frozen_of(polled_trace(400, 0.01, [](int i) { return i > 200; })), 1) << "to the end";
}

TEST(FrozenReadings, AreNoneWhereValuesRepeatOrHardlyAnyAreThere) {
  EXPECT_EQ(frozen_of(polled_trace(400, 1.0, [](int i) { return i > 200 && i < 300; })), 0);
  EXPECT_EQ(frozen_of(polled_trace(130, 0.01, [](int i) { return i > 8 && i < 120; })), 0)
      << "too few others";
}

/// A power source that shows 60 W from 0 to 40 s, asked every 0.1 s.
Recording stuck() {
  Trace power{.source = {SourceKind::power_usage, Scope::gpu},
              .begin = HostTime(),
              .end = HostTime() + std::chrono::seconds(40),
              .polls = 401};
  power.samples.push_back({HostTime(), HostTime(), std::nullopt, 60.0});
  return {.traces = {power}};
}

std::size_t stretches_of(const Recording& recording) {
  return frozen_stretches(recording, recording.traces.front()).size();
}

/// Health once a second: busy from 10 s on, until so many seconds later.
Recording stuck_beside_utilization(int busy) {
  Recording recording = stuck();
  for (int t = 0; t < 40; ++t) {
    const double percent = t >= 10 && t < 10 + busy ? 97.0 : 0.0;
    recording.health.push_back(
        {.time = HostTime() + std::chrono::seconds(t), .utilization_percent = percent});
  }
  return recording;
}

TEST(FrozenStretches, AreThoseThroughIdleAndWork) {
  EXPECT_EQ(stretches_of(stuck()), 0U) << "nothing says that work ran";
  EXPECT_EQ(stretches_of(stuck_beside_utilization(0)), 0U);
  EXPECT_EQ(stretches_of(stuck_beside_utilization(1)), 0U) << "one reading may be of a moment";
  EXPECT_EQ(stretches_of(stuck_beside_utilization(20)), 1U);
}

TEST(FrozenStretches, AreNoneWhereNobodyAskedWhileWorkRan) {
  Recording recording = stuck_beside_utilization(10);
  recording.traces.front().gaps.push_back(
      {HostTime() + std::chrono::seconds(9), HostTime() + std::chrono::seconds(21), "no_answer"});
  EXPECT_EQ(stretches_of(recording), 0U);
}

/// A counter of 60 W, and from 10 to 20 s of so many; it leaps by so much at 30 s.
Recording stuck_beside_counter(double work_w, double leap) {
  Recording recording = stuck();
  Trace counter{.source = {SourceKind::energy_counter, Scope::gpu},
                .begin = HostTime(),
                .end = HostTime() + std::chrono::seconds(40),
                .polls = 401};
  double joules = 1e6;
  for (int i = 0; i <= 400; ++i) {
    const HostTime now = HostTime() + kPoll * i;
    counter.samples.push_back({now - kPoll, now, std::nullopt, joules});
    joules += 0.1 * (i >= 100 && i < 200 ? work_w : 60.0) + (i == 300 ? leap : 0.0);
  }
  recording.traces.push_back(counter);
  return recording;
}

TEST(FrozenStretches, AreThoseInWhichAnotherSourceRises) {
  EXPECT_EQ(stretches_of(stuck_beside_counter(350.0, 0.0)), 1U);
  EXPECT_EQ(stretches_of(stuck_beside_counter(68.0, 0.0)), 0U) << "steps of 10 W hide that";
  EXPECT_EQ(stretches_of(stuck_beside_counter(60.0, 300.0)), 0U) << "a leap is no work";
}

}  // namespace
}  // namespace truewatt::energy
