#include "truewatt/capture/capture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;

/// Time that passes when somebody sleeps.
class TestClock : public Clock {
 public:
  HostTime now() const override { return now_; }
  DriverTime realtime_now() const override {
    return DriverTime(now_.time_since_epoch() + std::chrono::hours(24));
  }
  void sleep_until(HostTime until) override { now_ = std::max(now_, until); }
  bool is_virtual() const override { return true; }

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
    sources_ = {{kCounter, true, ""}, {kRing, true, ""}, {{SourceKind::power_usage}, false, "no"}};
  }
  const DeviceIdentity& device() const override { return device_; }
  const std::vector<sensor::SourceStatus>& sources() const override { return sources_; }
  Result<sensor::Reading> read(SourceId) override {
    if (lost_at && clock_.now() >= *lost_at) return Unexpected(Errc::device, "lost");
    const auto ticks = clock_.now().time_since_epoch() / 100ms;
    return sensor::Reading{10.0 * static_cast<double>(ticks), std::nullopt};
  }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override {
    std::vector<sensor::Reading> readings;
    const auto newest = clock_.realtime_now().time_since_epoch() / 20ms;
    for (auto i = newest - 49; i <= newest; ++i) {
      const DriverTime stamp(i * 20ms);
      if (!since || stamp > *since) readings.push_back({100.0, stamp});
    }
    return readings;
  }
  Result<HealthSample> health() override { return HealthSample{.temperature_c = 40.0}; }

  std::optional<HostTime> lost_at;

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

TEST(Capture, TakesHealthAndClockPairsOnceASecond) {
  TestClock clock;
  TestSensor sensor(clock);
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 10.0);
  EXPECT_NEAR(static_cast<double>(recording.health.size()), 11, 1);
  EXPECT_GE(recording.clock_pairs.size(), 11U);
  EXPECT_EQ(recording.health[3].temperature_c, 40.0);
}

TEST(Capture, EndsADeviceThatIsLostAndSaysSo) {
  TestClock clock;
  TestSensor sensor(clock);
  sensor.lost_at = clock.now() + 3s;
  Recorder recorder;
  const Recording& recording = record(clock, sensor, recorder, 10.0);
  ASSERT_EQ(recording.events.size(), 1U);
  EXPECT_EQ(recording.events[0].code, "gpu_lost");
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
