// A driver's call that does not return, on a real clock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/within.hpp"
#include "truewatt/clock/system_clock.hpp"

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr SourceId kUsage{SourceKind::power_usage};

/// 200 W and a bit, until a call waits for the test's end.
class HangingSensor : public sensor::PowerSensor {
 public:
  explicit HangingSensor(int good_calls) : good_calls_(good_calls) {}
  const DeviceIdentity& device() const override { return device_; }
  const std::vector<sensor::SourceStatus>& sources() const override { return sources_; }
  Result<sensor::Reading> read(SourceId) override {
    if (calls_++ >= good_calls_) released_.wait();
    return sensor::Reading{200.0 + calls_ % 2, std::nullopt};
  }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime>) override {
    return Unexpected(Errc::unsupported, "no ring");
  }
  Result<HealthSample> health() override { return HealthSample{}; }
  void release() { release_.set_value(); }

 private:
  int good_calls_;
  int calls_ = 0;
  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  DeviceIdentity device_{.name = "hanging"};
  std::vector<sensor::SourceStatus> sources_{{kUsage, std::nullopt}};
};

/// What a capture of 100 ms records, and how long it was after them.
struct Found {
  Recording recording;
  Nanoseconds late{0};
};

Found captured(const std::shared_ptr<HangingSensor>& sensor) {
  const auto clock = std::make_shared<SystemClock>();
  Recorder recorder;
  HostTime end;
  {
    Capture capture({sensor.get()}, *clock, recorder);
    capture.keep(sensor);
    capture.keep(clock);
    capture.start();
    end = clock->now() + 100ms;
    capture.run_until(end);
    capture.stop();
  }
  return {recorder.recordings().front(), clock->now() - end};
}

TEST(HangingDriver, KeepsNobodyAndIsNamed) {
  const auto sensor = std::make_shared<HangingSensor>(40);
  const int left = threads_left_behind();
  const Found found = captured(sensor);
  EXPECT_LT(found.late, kCallPatience + 2s);
  EXPECT_EQ(threads_left_behind(), left + 1);
  const Trace& trace = found.recording.traces.at(0);
  ASSERT_FALSE(trace.samples.empty());
  EXPECT_EQ(trace.polls, 40U);
  ASSERT_EQ(trace.gaps.size(), 1U);
  EXPECT_EQ(trace.gaps[0].begin, trace.end);
  EXPECT_EQ(trace.gaps[0].cause, "timed_out");
  ASSERT_EQ(found.recording.events.size(), 1U);
  EXPECT_EQ(found.recording.events[0].kind, EventKind::driver_hangs);
  EXPECT_THAT(found.recording.events[0].message, HasSubstr("power.usage has not returned"));
  sensor->release();  // the thread finds everything in place
  std::this_thread::sleep_for(50ms);
}

TEST(HangingDriver, DoesNotKeepTheStart) {
  const auto sensor = std::make_shared<HangingSensor>(0);
  const Found found = captured(sensor);
  EXPECT_LT(found.late, kCallPatience + 2s);
  EXPECT_TRUE(found.recording.traces.at(0).samples.empty());
  EXPECT_EQ(found.recording.events.at(0).kind, EventKind::driver_hangs);
  sensor->release();
  std::this_thread::sleep_for(50ms);
}

TEST(Within, GivesWhatCameInTime) {
  EXPECT_EQ(within(10s, [] { return 7; }), 7);
  EXPECT_THROW(within(10s, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
}

TEST(Within, LeavesACallBehindThatDoesNotReturn) {
  const auto release = std::make_shared<std::promise<void>>();
  const int left = threads_left_behind();
  EXPECT_EQ(within(50ms, [done = release->get_future().share()] { return (done.wait(), 7); }),
            std::nullopt);
  EXPECT_EQ(threads_left_behind(), left + 1);
  release->set_value();
  std::this_thread::sleep_for(50ms);
}

}  // namespace
}  // namespace truewatt::capture
