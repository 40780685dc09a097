#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "truewatt/capture/capture.hpp"
#include "truewatt/capture/command.hpp"
#include "truewatt/capture/stop_on_signal.hpp"
#include "truewatt/clock/system_clock.hpp"

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
  EXPECT_TRUE(exit->asked_to_end);
}

TEST(Command, ForwardsWhatProgramsAskEachOtherWith) {
  for (const int signal : {SIGUSR1, SIGUSR2, SIGALRM, SIGWINCH, SIGCONT, SIGRTMIN + 3}) {
    CommandRunner runner;
    SystemClock clock;
    std::jthread sender([signal] {
      std::this_thread::sleep_for(200ms);
      kill(getpid(), signal);
    });
    const auto script =
        fmt::format("trap 'exit 7' {}; for i in $(seq 100); do sleep 0.02; done; exit 1", signal);
    const auto exit = runner.run({"sh", "-c", script}, clock);
    EXPECT_EQ(exit->code, 7) << signal;
    EXPECT_FALSE(exit->asked_to_end) << signal;
  }
}

TEST(Command, PassesOnASignalThatCameBeforeTheStart) {
  CommandRunner runner;
  SystemClock clock;
  kill(getpid(), SIGTERM);
  const auto exit = runner.run({"sleep", "5"}, clock);
  EXPECT_EQ(exit->code, 128 + SIGTERM);
  EXPECT_TRUE(exit->asked_to_end);
}

TEST(Command, KeepsARequestToStopThatFoundTheCommandEnded) {
  CommandRunner runner;
  SystemClock clock;
  ASSERT_EQ(runner.run({"true"}, clock)->code, 0);
  kill(getpid(), SIGTERM);
  const StopOnSignal stop;
  for (int i = 0; i < 100 && !stop.token().stop_requested(); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(stop.token().stop_requested());
}

TEST(Command, BetweenTwoCommandsARequestToStopIsKeptForTheSecond) {
  CommandRunner runner;
  SystemClock clock;
  ASSERT_EQ(runner.run({"true"}, clock)->code, 0);
  { const StopOnSignal stop; }
  kill(getpid(), SIGINT);
  const auto second = runner.run({"sleep", "5"}, clock);
  EXPECT_EQ(second->code, 128 + SIGINT);
  EXPECT_TRUE(second->asked_to_end);
}

TEST(StopOnSignalDeathTest, ASecondSignalKills) {
  EXPECT_EXIT(
      {
        const StopOnSignal stop;
        kill(getpid(), SIGINT);
        while (!stop.token().stop_requested()) std::this_thread::sleep_for(5ms);
        std::this_thread::sleep_for(50ms);
        kill(getpid(), SIGINT);
        std::this_thread::sleep_for(5s);
      },
      testing::KilledBySignal(SIGINT), "");
}

class Script {
 public:
  explicit Script(const std::string& text,
                  std::filesystem::perms mode = std::filesystem::perms(0755))
      : path_(std::filesystem::temp_directory_path() / fmt::format("truewatt-{}", getpid())) {
    std::ofstream(path_) << text;
    std::filesystem::permissions(path_, mode);
  }
  ~Script() { std::filesystem::remove(path_); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Command, ShellRunsAScriptThatNamesNoInterpreter) {
  const Script script("exit $(($1 + $#))\n");
  EXPECT_EQ(run({script.path(), "5", "a b"})->code, 7);
}

TEST(Command, WhatIsThereButCannotBeExecutedIsNotNotFound) {
  const Script script("#!/bin/sh\n", std::filesystem::perms(0644));
  EXPECT_EQ(run({script.path()}).error().code, Errc::permission);                // EACCES
  EXPECT_EQ(run({script.path() + "/x"}).error().code, Errc::permission);         // ENOTDIR
  EXPECT_EQ(run({"/" + std::string(300, 'x')}).error().code, Errc::permission);  // too long
  EXPECT_EQ(run({"/tmp"}).error().code, Errc::permission);                       // a folder
}

TEST(Command, ChildHasItsSignalsUnblocked) {
  // The shell would never see its own TERM if our mask were inherited.
  EXPECT_EQ(run({"sh", "-c", "kill -TERM $$; exit 0"})->code, 143);
}

/// A sensor on the real clock: 100 W, a counter tick every 50 ms.
class SteadySensor : public sensor::PowerSensor {
 public:
  explicit SteadySensor(Clock& clock) : clock_(clock) { sources_ = {{kCounter, std::nullopt}}; }
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
  ASSERT_EQ(recorder.recordings().size(), 2U);
  for (const Recording& recording : recorder.recordings()) {
    const auto& samples = recording.traces.at(0).samples;
    // A starved thread sees few of the 30 ticks, but each value at a time at which it stood.
    ASSERT_GE(samples.size(), 2U);
    EXPECT_GT(samples.back().value, samples.front().value);
    for (const Sample& sample : samples) {
      const auto ticks_seen = sample.seen.time_since_epoch() / 50ms;
      const auto ticks_asked = (sample.seen - *sample.call).time_since_epoch() / 50ms;
      EXPECT_LE(sample.value, 5.0 * static_cast<double>(ticks_seen));
      EXPECT_GE(sample.value, 5.0 * static_cast<double>(ticks_asked));
    }
  }
}

}  // namespace
}  // namespace truewatt::capture
