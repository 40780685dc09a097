#include "truewatt/capture/command.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/system_clock.hpp"

namespace truewatt::capture {
namespace {

using namespace std::chrono_literals;

Result<CommandExit> run(const std::vector<std::string>& argv) {
  CommandRunner runner;
  SystemClock clock;
  return runner.run(argv, clock);
}

TEST(Command, PassesTheExitCodeOn) {
  EXPECT_EQ(run({"true"})->code, 0);
  EXPECT_EQ(run({"sh", "-c", "exit 3"})->code, 3);
}

TEST(Command, SaysWhichSignalKilledIt) { EXPECT_EQ(run({"sh", "-c", "kill -9 $$"})->code, 137); }

TEST(Command, TellsNotFoundFromNotExecutable) {
  EXPECT_EQ(run({"no-such-command-here"}).error().code, Errc::unavailable);
  EXPECT_EQ(run({"/etc/passwd"}).error().code, Errc::permission);
}

TEST(Command, ForwardsASignalThatIsSentToUsAlone) {
  CommandRunner runner;
  SystemClock clock;
  std::jthread sender([] {
    std::this_thread::sleep_for(200ms);
    kill(getpid(), SIGTERM);
  });
  const auto exit =
      runner.run({"sh", "-c", "trap 'exit 7' TERM; while :; do sleep 0.02; done"}, clock);
  EXPECT_EQ(exit->code, 7);
}

TEST(Command, ChildHasItsSignalsUnblocked) {
  // The shell would never see its own TERM if our mask were inherited.
  EXPECT_EQ(run({"sh", "-c", "kill -TERM $$; exit 0"})->code, 143);
}

/// A sensor on the real clock: 100 W, a counter tick every 50 ms.
class SteadySensor : public sensor::PowerSensor {
 public:
  explicit SteadySensor(Clock& clock) : clock_(clock) { sources_ = {{kCounter, true, ""}}; }
  const DeviceIdentity& device() const override { return device_; }
  const std::vector<sensor::SourceStatus>& sources() const override { return sources_; }
  Result<sensor::Reading> read(SourceId) override {
    const auto ticks = clock_.now().time_since_epoch() / 50ms;
    return sensor::Reading{5.0 * static_cast<double>(ticks), std::nullopt};
  }
  Result<std::vector<sensor::Reading>> drain(std::optional<DriverTime>) override {
    return Unexpected(Errc::unsupported, "no ring");
  }
  Result<HealthSample> health() override { return HealthSample{}; }
  static constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};

 private:
  Clock& clock_;
  DeviceIdentity device_;
  std::vector<sensor::SourceStatus> sources_;
};

TEST(ThreadedCapture, DeliversEverythingFromSeveralThreads) {
  SystemClock clock;
  SteadySensor first(clock), second(clock);
  Recorder recorder;
  Capture capture({&first, &second}, clock, recorder);
  capture.start();
  capture.run_until(clock.now() + 1500ms);
  capture.stop();
  for (const Recording& recording : recorder.recordings()) {
    const auto& samples = recording.traces.at(0).samples;
    // 30 ticks; a busy machine may sleep through one, and the value then jumps by two steps.
    ASSERT_GT(samples.size(), 20U);
    EXPECT_NEAR(samples.back().value - samples.front().value, 5.0 * 30, 5.0 * 2);
  }
}

}  // namespace
}  // namespace truewatt::capture
