#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "truewatt/load/program/program_load.hpp"
#include "truewatt/load/program/workload_process.hpp"
#include "truewatt/testing/machine_clock.hpp"

namespace truewatt::load {
namespace {

using namespace std::chrono_literals;

/// A program that sleeps 5 ms an iteration, and fails on demand.
constexpr const char* kProgram = R"(
import sys, time
mode = sys.argv[1] if len(sys.argv) > 1 else ""
if mode == "refuses":
    print("error no GPU of that name", flush=True)
    sys.exit(1)
if mode == "dies":
    sys.exit(1)
if mode == "silent":
    time.sleep(60)
print("ready fake", flush=True)
for line in sys.stdin:
    words = line.split()
    if words[0] != "run" or mode == "fails":
        print("error cannot " + line.strip(), flush=True)
        sys.exit(1)
    begin = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    time.sleep(0.005 * int(words[1]))
    print("done", begin, time.clock_gettime_ns(time.CLOCK_MONOTONIC), flush=True)
)";

std::filesystem::path folder() {
  const auto path = std::filesystem::path(testing::TempDir()) / "program_load";
  std::filesystem::create_directories(path);
  std::ofstream(path / "fake.py") << kProgram;
  return path;
}

constexpr Seconds kPatience{60};

Result<WorkloadProcess> started(const std::string& mode, Seconds patience = kPatience) {
  static SystemClock clock;
  return WorkloadProcess::start({"python3", "fake.py", mode}, folder(), clock, patience, {});
}

TEST(WorkloadProcess, DoesIterationsAndSaysWhen) {
  auto process = started("");
  ASSERT_TRUE(process) << process.error().message;
  SystemClock clock;
  const HostTime before = clock.now();
  const auto done = process->run(4, kPatience, {});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_GE(done->begin, before);
  EXPECT_GE(done->end - done->begin, 20ms);
  EXPECT_LE(done->end, clock.now());
}

TEST(WorkloadProcess, SaysWhyThereIsNone) {
  const auto refused = started("refuses");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("no GPU of that name"), std::string::npos);
  EXPECT_FALSE(started("dies"));
  const auto silent = started("silent", Seconds(1));
  ASSERT_FALSE(silent);
  EXPECT_EQ(silent.error().code, Errc::timed_out);
  SystemClock clock;
  const auto missing =
      WorkloadProcess::start({"./no-such-program"}, folder(), clock, Seconds(5), {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::unavailable);
}

TEST(WorkloadProcess, AFailureInTheMiddleIsToldAndDoesNotEndUs) {
  auto process = started("fails");
  ASSERT_TRUE(process);
  const auto failed = process->run(1, kPatience, {});
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, Errc::device);
  EXPECT_NE(failed.error().message.find("cannot run 1"), std::string::npos);
  EXPECT_FALSE(process->run(1, kPatience, {}));  // it has ended
}

TEST(ProgramLoad, PlaysAStretchAsWholeIterations) {
  SystemClock clock;
  const auto load = make_program_load({"python3", "fake.py"}, folder(), clock);
  const Schedule once{.steps = {{Seconds(0), 1.0}, {Seconds(0.2), 0.0}, {Seconds(0.4), 1.0}},
                      .duration = Seconds(0.5)};
  ASSERT_TRUE(load->prepare(once));
  EXPECT_GE(load->iteration(), Seconds(0.005));
  const HostTime begin = clock.now() + 10ms;
  const auto played = load->play(once, begin, {});
  ASSERT_TRUE(played) << played.error().message;
  ASSERT_EQ(played->activity.size(), 2U);
  EXPECT_GE(played->activity[0].begin, begin);
  const auto count = load->iterations_in(Seconds(0.2));
  EXPECT_GE(played->activity[0].end - played->activity[0].begin, count * 5ms);
  EXPECT_GE(played->activity[1].begin, begin + 400ms);
  EXPECT_GE(played->end, begin + 500ms);
}

TEST(ProgramLoad, KnowsNoLevels) {
  SystemClock clock;
  const auto load = make_program_load({"python3", "fake.py"}, folder(), clock);
  const auto refused = load->prepare({.steps = {{Seconds(0), 0.5}}, .duration = Seconds(0.1)});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid_argument);
}

}  // namespace
}  // namespace truewatt::load
