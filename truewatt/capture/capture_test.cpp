#include "truewatt/capture/capture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "truewatt/capture/bounded_queue.hpp"

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;

/// Time that passes when somebody sleeps.
class TestClock : public Clock {
 public:
  HostTime now() const override { return now_; }
  DriverTime realtime_now() const override {
    return DriverTime(now_.time_since_epoch() + std::chrono::hours(24) +
                      (step_at && now_ >= *step_at ? step : Nanoseconds(0)));
  }
  void sleep_until(HostTime until) override { now_ = std::max(now_, until); }
  bool is_virtual() const override { return true; }

  std::optional<HostTime> step_at;  // when somebody sets CLOCK_REALTIME ...
  Nanoseconds step{0};              // ... by so much

 private:
  HostTime now_{10s};
};

constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};
constexpr SourceId kRing{SourceKind::power_samples, Scope::gpu};

/// 100 W for ever: a counter that ticks every 100 ms and a ring of 50 samples, one every 20 ms.
class TestSensor : public sensor::PowerSensor {
 public:
  explicit TestSensor(TestClock& clock) : clock_(clock) {
    device_.uuid = "GPU-test";
    sources_ = {{kCounter, std::nullopt},
                {kRing, std::nullopt},
                {{SourceKind::power_usage}, Error{Errc::unsupported, "no"}}};
  }
  const DeviceIdentity& device() const override { return device_; }
  const std::vector<sensor::SourceStatus>& sources() const override { return sources_; }
  Result<sensor::Reading> read(SourceId) override {
    ++reads;
    clock_.sleep_until(clock_.now() + call_time);
    if (lost_at && clock_.now() >= *lost_at) return Unexpected(Errc::device, "lost");
    const auto ticks = clock_.now().time_since_epoch() / 100ms;
    return sensor::Reading{10.0 * static_cast<double>(ticks), std::nullopt};
  }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override {
    std::vector<sensor::Reading> readings;
    const auto newest = clock_.realtime_now().time_since_epoch() / 20ms;
    for (auto i = newest - 49; i <= newest; ++i) {
      const DriverTime stamp(i * 20ms);
      if (loaded_at && stamp < *loaded_at) continue;
      if (!since || stamp > *since) readings.push_back({100.0, stamp});
    }
    return readings;
  }
  void answer(SourceKind kind) { sources_.push_back({{kind}, std::nullopt}); }
  Result<HealthSample> health() override {
    HealthSample health{.temperature_c = 40.0};
    if (limited && clock_.now() >= limited->first && clock_.now() < limited->second) {
      health.clocks_event_reasons = 0x4;
    }
    return health;
  }

  std::optional<HostTime> lost_at;
  std::optional<DriverTime> loaded_at;  // the ring holds nothing older
  std::optional<std::pair<HostTime, HostTime>> limited;
  Nanoseconds call_time{0};
  int reads = 0;

 private:
  TestClock& clock_;
  DeviceIdentity device_;
  std::vector<sensor::SourceStatus> sources_;
};

const Recording& record(TestClock& clock, TestSensor& sensor, Recorder& recorder, double seconds) {
  Capture capture({&sensor}, clock, recorder);
  capture.start();
  capture.run_until(clock.now() + to_nanoseconds(Seconds(seconds)));
  capture.stop();
  return recorder.recordings()[0];
}

TEST(Capture, RecordsEveryTickAndTheWholeRing) {
  TestClock clock;
  TestSensor sensor(clock);
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 30.0);
  const Trace* counter = find_trace(recording, kCounter);
  ASSERT_NE(counter, nullptr);
  EXPECT_NEAR(static_cast<double>(counter->samples.size()), 301, 1);
  const Trace* ring = find_trace(recording, kRing);
  ASSERT_NE(ring, nullptr);
  // 30 s and the second that the ring remembered, each once.
  EXPECT_NEAR(static_cast<double>(ring->samples.size()), 1550, 2);
  for (std::size_t i = 1; i < ring->samples.size(); ++i) {
    ASSERT_EQ(ring->samples[i].seen - ring->samples[i - 1].seen, 20ms) << i;
  }
  EXPECT_LT(ring->begin, counter->begin);
  EXPECT_EQ(find_trace(recording, {SourceKind::power_usage}), nullptr);
}

TEST(Capture, KeepsOfALongRunWhatLiesAroundItsEdgesAndSumsOfTheRest) {
  TestClock clock;
  TestSensor sensor(clock);
  Recorder recorder(std::nullopt, 4000);
  const HostTime begin = clock.now() + 20s;
  const HostTime middle = begin + 300s;
  const HostTime end = begin + 900s;
  Capture capture({&sensor}, clock, recorder);
  capture.attend(begin, begin + 900ms);
  capture.attend(middle, middle + 900ms);
  capture.start();
  capture.run_until(end);
  capture.attend(end, end + 700ms);
  capture.run_until(end + 60s);
  capture.stop();
  const Recording& recording = recorder.recordings()[0];
  const Trace& ring = *find_trace(recording, kRing);
  EXPECT_LT(ring.samples.size(), 6000U);
  const auto is_there = [&](HostTime time) {
    return std::any_of(ring.samples.begin(), ring.samples.end(), [time](const Sample& sample) {
      return sample.seen > time - 20ms && sample.seen <= time;
    });
  };
  for (const HostTime edge : {begin, middle, end}) {
    for (auto beside = -14s; beside <= 14s; beside += 1s) EXPECT_TRUE(is_there(edge + beside));
  }
  EXPECT_FALSE(is_there(begin + 100s));
  EXPECT_FALSE(is_there(middle + 300s));
  std::uint64_t readings = ring.samples.size();
  for (const CondensedStretch& sums : ring.condensed) {
    readings += sums.readings;
    EXPECT_NEAR(sums.held_j, 100 * seconds_between(sums.begin, sums.end), 1e-6);
  }
  // 980 s and the second that the ring remembered.
  EXPECT_NEAR(static_cast<double>(readings), 981 * 50, 2);
}

// A day of what a device says of itself each second.
TEST(Recorder, KeepsOfHealthWhatLiesAroundEdgesAndAThousandRowsOfTheRest) {
  const HostTime begin{};
  Attention edges;
  edges.add(begin + 40000s, begin + 40001s);
  Recorder recorder;
  recorder.keep_near(&edges);
  const int device = recorder.add_device({}, {});
  std::size_t most = 0;
  for (int second = 0; second < 86400; ++second) {
    recorder.apply({device, HealthSample{.time = begin + std::chrono::seconds(second)}});
    most = std::max(most, recorder.recordings()[0].health.size());
  }
  EXPECT_LE(most, 6000U);
  const auto& health = recorder.recordings()[0].health;
  for (int second = 39990; second < 40010; ++second) {
    const HostTime time = begin + std::chrono::seconds(second);
    EXPECT_TRUE(std::any_of(health.begin(), health.end(), [&](const HealthSample& one) {
      return one.time == time;
    })) << second;
  }
}

TEST(Capture, KeepsEverySampleWhereAllTimeMatters) {
  TestClock clock;
  TestSensor sensor(clock);
  Recorder recorder(std::nullopt, 1000);
  Capture capture({&sensor}, clock, recorder);
  capture.attend(clock.now(), HostTime::max());
  capture.start();
  capture.run_until(clock.now() + 100s);
  capture.stop();
  const Trace& ring = *find_trace(recorder.recordings()[0], kRing);
  EXPECT_TRUE(ring.condensed.empty());
  EXPECT_NEAR(static_cast<double>(ring.samples.size()), 101 * 50, 2);
}

TEST(Capture, TakesHealthAndClockPairsOnceASecond) {
  TestClock clock;
  TestSensor sensor(clock);
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 10.0);
  EXPECT_NEAR(static_cast<double>(recording.health.size()), 11, 1);
  EXPECT_GE(recording.clock_pairs.size(), 11U);
  EXPECT_EQ(recording.health[3].temperature_c, 40.0);
}

TEST(Capture, StoresAShortClockLimitBetweenTheSeconds) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.limited = {clock.now() + 3300ms, clock.now() + 3550ms};
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 10.0);
  EXPECT_EQ(std::count_if(recording.health.begin(), recording.health.end(),
                          [](const HealthSample& h) { return h.clocks_event_reasons.has_value(); }),
            1);
  EXPECT_NEAR(static_cast<double>(recording.health.size()), 13, 1);
}

// What sources take is no cost of asking for health.
TEST(Capture, LooksAtHealthAsOftenWhereSourcesAreAskedAllTheTime) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.call_time = 150us;
  Recorder recorder;
  Capture capture({&sensor}, clock, recorder, {.mode = PollMode::max, .all_health = true});
  capture.start();
  capture.run_until(clock.now() + 10s);
  capture.stop();
  EXPECT_NEAR(static_cast<double>(recorder.recordings()[0].health.size()), 110, 11);
}

TEST(Capture, SaysWhenRealtimeWasSetAndGoesOn) {
  for (const Nanoseconds step : {Nanoseconds(-3600s), Nanoseconds(3600s)}) {
    TestClock clock;
    TestSensor sensor(clock);
    clock.step_at = clock.now() + 5s;
    clock.step = step;
    Recorder recorder;
    const Recording& recording = record(clock, sensor, recorder, 12.0);
    ASSERT_EQ(recording.events.size(), 1U);
    EXPECT_EQ(recording.events[0].kind, EventKind::realtime_step);
    const Trace& ring = *find_trace(recording, kRing);
    EXPECT_NEAR(static_cast<double>(ring.samples.size()), 650, 2);  // none lost, none twice
    for (std::size_t i = 1; i < ring.samples.size(); ++i) {
      ASSERT_GT(ring.samples[i].seen, ring.samples[i - 1].seen) << i;
    }
    EXPECT_GE(ring.samples.back().seen, clock.now() - 1s);
    EXPECT_LE(ring.samples.back().seen, clock.now());
  }
}

TEST(Capture, LearnsTheLengthOfARingThatStillFillsUp) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.loaded_at = clock.realtime_now() - 100ms;
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 30.0);
  const Trace& ring = *find_trace(recording, kRing);
  EXPECT_NEAR(static_cast<double>(ring.samples.size()), 1505, 2);
  EXPECT_LT(ring.polls, 100U);
}

TEST(Capture, EndsADeviceThatIsLostAndSaysSo) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.lost_at = clock.now() + 3s;
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 10.0);
  ASSERT_EQ(recording.events.size(), 1U);
  EXPECT_EQ(recording.events[0].kind, EventKind::gpu_lost);
  EXPECT_EQ(clock.now(), HostTime(20s));
  EXPECT_LE(find_trace(recording, kCounter)->end, *sensor.lost_at + 60ms);
}

TEST(Capture, SamplesTwoDevicesInOrderOfTime) {
  TestClock clock;
  TestSensor first(clock), second(clock);
  Recorder recorder;
  Capture capture({&first, &second}, clock, recorder);
  capture.start();
  capture.run_until(clock.now() + 5s);
  capture.stop();
  for (const Recording& recording : recorder.recordings()) {
    EXPECT_NEAR(static_cast<double>(find_trace(recording, kCounter)->samples.size()), 51, 1);
  }
}

TEST(Capture, RestsAnExpensiveSourceWhereNothingBeginsOrEnds) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.call_time = 3ms;
  Recorder recorder;
  Capture capture({&sensor}, clock, recorder);
  const HostTime begin = clock.now();
  capture.attend(begin, begin + 2s);
  capture.attend(begin + 58s, begin + 60s);
  capture.start();
  capture.run_until(begin + 60s);
  capture.stop();
  // 4 s with two or three calls a tick, the learning, and as many a second of the 56 s between.
  EXPECT_LT(sensor.reads, 40 * 3 + 30 + 56 * 3);
  const Trace& counter = *find_trace(recorder.recordings()[0], kCounter);
  const auto seen_within = [&](Nanoseconds from, Nanoseconds to) {
    return std::count_if(counter.samples.begin(), counter.samples.end(), [&](const Sample& s) {
      return s.seen >= begin + from && s.seen < begin + to && s.seen - s.before < 15ms;
    });
  };
  EXPECT_GE(seen_within(0s, 2s), 11);  // 20 ticks less the first five, which teach the grid
  EXPECT_GE(seen_within(58s, 60s), 18);
  // Two or three calls of 3 ms take their share of a core every 1.2 to 1.8 s.
  EXPECT_GE(seen_within(3s, 57s), 30);
  EXPECT_LE(seen_within(3s, 57s), 45);
  // Every stretch that nobody looked at is told.
  ASSERT_FALSE(counter.gaps.empty());
  for (const Gap& gap : counter.gaps) EXPECT_EQ(gap.cause, kNotAsked);
  for (std::size_t i = 1; i < counter.samples.size(); ++i) {
    const Sample& sample = counter.samples[i];
    const bool told = std::any_of(counter.gaps.begin(), counter.gaps.end(), [&](const Gap& gap) {
      return gap.begin >= sample.before && gap.end <= sample.seen;
    });
    EXPECT_TRUE(told || sample.seen - sample.before < 150ms) << i;
  }
}

TEST(Capture, ReadsACounterOnceASecondByItsTickWithinAPercentOfACore) {
  for (const int call_us : {2300, 3000, 7000, 13000}) {
    SCOPED_TRACE(call_us);
    TestClock clock;
    TestSensor sensor(clock);
    sensor.call_time = std::chrono::microseconds(call_us);
    Recorder recorder;
    Capture capture({&sensor}, clock, recorder);
    capture.attend(clock.now(), clock.now() + kAttendAtFirst);
    capture.start();
    capture.run_until(clock.now() + 10s);
    const HostTime from = clock.now();
    const int before = sensor.reads;
    capture.run_until(from + 100s);
    const int reads = sensor.reads - before;
    capture.stop();
    EXPECT_LE(reads * sensor.call_time, 1s);
    // Two calls a tick, once a second or, at up to three calls a tick, as often as they may.
    const double ticks = std::min(100.0, 0.005 * 100s / Seconds(3 * sensor.call_time));
    const Trace& counter = *find_trace(recorder.recordings()[0], kCounter);
    // A rest ends with a look before the tick: what that shows came at any time of the rest.
    const auto narrow =
        std::count_if(counter.samples.begin(), counter.samples.end(), [&](const Sample& sample) {
          return sample.before >= from && sample.seen - sample.before <= 4 * sensor.call_time + 1ms;
        });
    EXPECT_GE(static_cast<double>(narrow), 0.9 * ticks);
    EXPECT_LE(narrow, 101);
  }
}

TEST(Capture, LetsPowerSourcesRestLongerThanACounterOrWhatAPlainPollerReads) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.call_time = 2ms;
  for (const SourceKind kind : {SourceKind::power_average, SourceKind::power_instant}) {
    sensor.answer(kind);
  }
  Recorder recorder;
  Capture capture({&sensor}, clock, recorder);
  capture.attend(clock.now(), clock.now() + kAttendAtFirst);
  capture.start();
  capture.run_until(clock.now() + 100s);
  const HostTime from = clock.now();
  const int before = sensor.reads;
  capture.run_until(from + 100s);
  const int reads = sensor.reads - before;
  capture.stop();
  EXPECT_LE(reads * 2ms, 1s);
  const auto longest_rest = [&](SourceKind kind) {
    Nanoseconds longest{0};
    for (const Gap& gap : find_trace(recorder.recordings()[0], {kind})->gaps) {
      longest = std::max(longest, gap.end - gap.begin);
    }
    return longest;
  };
  EXPECT_LE(longest_rest(SourceKind::power_average), 2200ms);
  EXPECT_LE(longest_rest(SourceKind::power_instant), 10200ms);
  EXPECT_GE(longest_rest(SourceKind::power_instant), 5s);
  EXPECT_LE(longest_rest(SourceKind::energy_counter), 1200ms);
}

TEST(Capture, NeverRestsInModeEvery) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.call_time = 3ms;
  Recorder recorder;
  Capture capture({&sensor}, clock, recorder, {.mode = PollMode::every});
  capture.start();
  capture.run_until(clock.now() + 30s);
  capture.stop();
  const Trace& counter = *find_trace(recorder.recordings()[0], kCounter);
  EXPECT_GE(counter.samples.size(), 299U);
  EXPECT_TRUE(counter.gaps.empty());
}

TEST(BoundedQueue, RefusesWhatDoesNotFit) {
  BoundedQueue<int> queue(2);
  EXPECT_TRUE(queue.put(1));
  EXPECT_TRUE(queue.put(2));
  EXPECT_FALSE(queue.put(3));
  EXPECT_EQ(queue.take_all(0ms).size(), 2U);
  queue.close();
  EXPECT_TRUE(queue.closed());
}

}  // namespace
}  // namespace truewatt::capture
