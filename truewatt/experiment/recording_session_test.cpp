#include "truewatt/experiment/recording_session.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "truewatt/experiment/session.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::experiment {
namespace {

using namespace std::chrono_literals;

load::Schedule one_second() {
  return {.steps = {{Seconds(0), 1.0}}, .duration = Seconds(1), .spec = "one second"};
}

class RecordingSession : public ::testing::Test {
 protected:
  devices::DeviceSet set_ = devices::open_devices({.selectors = {"sim:h100"}}, {}).value();
};

TEST_F(RecordingSession, HoldsWhatWasPlayedAndTheIdleBehindIt) {
  auto loads = prepare_loads(set_, one_second(), {}, {}).value();
  auto session = Session::open(set_, {}).value();
  session.start();
  const HostTime begin = session.clock().now() + 500ms;
  const auto executions = session.play(loads.all, one_second(), begin);
  ASSERT_TRUE(executions);
  session.settle(*executions, 2s);
  EXPECT_EQ(set_.idle_since, begin + 1s);
  EXPECT_EQ(session.clock().now(), begin + 3s);
  const Recording recording = session.recorder().recordings().front();
  ASSERT_EQ(recording.activity.size(), 1U);
  EXPECT_EQ(recording.activity[0].begin, begin);
  EXPECT_EQ(recording.activity[0].end, begin + 1s);
  ASSERT_FALSE(recording.traces.empty());
  EXPECT_GE(recording.traces[0].end, begin + 2s);
}

TEST_F(RecordingSession, PlayedOutEndsWithTheLastPart) {
  auto gpu = devices::make_load(set_, set_.devices[0], {}).value();
  auto session = Session::open(set_, {}).value();
  session.start();
  const load::Schedule schedule = one_second();
  const HostTime begin = session.clock().now() + 100ms;
  const auto executions = session.play_out({{gpu.get(), &schedule}}, begin);
  ASSERT_TRUE(executions);
  EXPECT_EQ(session.clock().now(), begin + 1s);
}

TEST_F(RecordingSession, OnTrialLeavesAnEarlierFileAsItWas) {
  const testing_support::TestFolder folder;
  const auto path = folder.path() / "run.db";
  std::ofstream(path) << "earlier";
  {
    auto session = Session::open(set_, {.out = path, .on_trial = true});
    ASSERT_TRUE(session) << session.error().message;
  }
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "earlier");
}

}  // namespace
}  // namespace truewatt::experiment
