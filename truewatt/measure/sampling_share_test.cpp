#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "truewatt/capture/capture.hpp"
#include "truewatt/experiment/session.hpp"

namespace truewatt::measure {
namespace {

using namespace std::chrono_literals;

/// Adds up the time that calls of another sensor take, all of which the driver may spin.
class ClockedSensor : public sensor::PowerSensor {
 public:
  ClockedSensor(sensor::PowerSensor& inner, const Clock& clock) : inner_(inner), clock_(clock) {}
  const DeviceIdentity& device() const override { return inner_.device(); }
  const std::vector<sensor::SourceStatus>& sources() const override { return inner_.sources(); }
  Result<sensor::Reading> read(SourceId source) override {
    return timed([&] { return inner_.read(source); });
  }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime> since) override {
    return timed([&] { return inner_.drain(since); });
  }
  Result<HealthSample> health() override {
    return timed([&] { return inner_.health(); });
  }
  Nanoseconds spent{0};

 private:
  template <class Call>
  std::invoke_result_t<Call> timed(const Call& call) {
    const HostTime begin = clock_.now();
    auto answer = call();
    spent += clock_.now() - begin;
    return answer;
  }

  sensor::PowerSensor& inner_;
  const Clock& clock_;
};

// As `run` samples: every tick at the begin and at the end of a command, else within a percent.
TEST(SamplingShare, OfAnH200sCallsIsBelowAPercentWithACounterTickASecond) {
  auto set = devices::open_devices({.selectors = {"sim:h200"}}, {}).value();
  Clock& clock = *set.clock;
  ClockedSensor sensor(*set.devices[0].sensor, clock);
  capture::Recorder recorder;
  capture::Capture capture({&sensor}, clock, recorder);
  capture.attend(clock.now(), clock.now() + capture::kAttendAtFirst);
  capture.start();
  capture.run_until(clock.now() + 20s);
  const HostTime from = clock.now();
  const Nanoseconds before = sensor.spent;
  capture.run_until(from + 100s);
  const Nanoseconds spent = sensor.spent - before;
  capture.stop();
  EXPECT_LT(spent, 1s);
  const Trace& counter = *find_trace(recorder.recordings()[0], {SourceKind::energy_counter});
  const auto ticks =
      std::count_if(counter.samples.begin(), counter.samples.end(), [&](const Sample& sample) {
        return sample.before >= from && sample.seen - sample.before <= 10ms;
      });
  RecordProperty("calls_of_100_s_ms", static_cast<int>(spent / 1ms));
  RecordProperty("ticks_of_100_s", static_cast<int>(ticks));
  EXPECT_GE(ticks, 75);
  EXPECT_LE(ticks, 101);
}

}  // namespace
}  // namespace truewatt::measure
