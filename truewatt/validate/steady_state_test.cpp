#include "truewatt/validate/steady_state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "truewatt/experiment/session.hpp"
#include "truewatt/measure/measurement.hpp"
#include "truewatt/testing/test_board.hpp"

namespace truewatt::validate {
namespace {

using namespace std::chrono_literals;

const load::Schedule kRun{.steps = {{Seconds(0), 1.0}}, .duration = Seconds(1), .spec = "work"};

TEST(TrainOf, RunsLieApartByChance) {
  const load::Schedule train = train_of(kRun, 4, Seconds(2), 1);
  ASSERT_EQ(train.steps.size(), 7U) << "begins of four, ends of three";
  double end = 0.0;
  double first_gap = 0.0;
  for (std::size_t i = 0; i < train.steps.size(); i += 2) {
    const double begin = train.steps[i].at.count();
    EXPECT_EQ(train.steps[i].level, 1.0);
    const double gap = begin - end;
    if (i == 2) first_gap = gap;
    if (i > 0) {
      EXPECT_GE(gap, 0.7 * 2);
      EXPECT_LE(gap, 1.3 * 2);
    }
    if (i > 2) {
      EXPECT_NE(gap, first_gap);
    }
    end = begin + 1;
    if (i + 1 < train.steps.size()) {
      EXPECT_NEAR(train.steps[i + 1].at.count(), end, 1e-9);
    }
  }
  EXPECT_NEAR(train.duration.count(), end, 1e-9);
}

TEST(OneAfterOther, KeepsBothAndTheGap) {
  const load::Schedule both = one_after_other(kRun, Seconds(0.5), kRun);
  ASSERT_EQ(both.steps.size(), 3U);
  EXPECT_EQ(both.steps[1].at, Seconds(1));
  EXPECT_EQ(both.steps[1].level, 0.0);
  EXPECT_EQ(both.steps[2].at, Seconds(1.5));
  EXPECT_EQ(both.steps[2].level, 1.0);
  EXPECT_EQ(both.duration, Seconds(2.5));
}

TEST(RunsOf, AreBetweenTheLongestIdles) {
  const HostTime t0{100s};
  Recording train{.activity = {{t0 + 1ms, t0 + 1s, {}},
                               {t0 + 2s, t0 + 2500ms, {}},
                               {t0 + 2600ms, t0 + 3200ms, {}},  // of the same run
                               {t0 + 4s, t0 + 9s, {}}}};
  const auto runs = runs_of(train, 3);
  ASSERT_TRUE(runs);
  ASSERT_EQ(runs->size(), 3U);
  EXPECT_EQ((*runs)[0].begin, t0 + 1ms);
  EXPECT_EQ((*runs)[0].end, t0 + 1s);
  EXPECT_EQ((*runs)[1].begin, t0 + 2s);
  EXPECT_EQ((*runs)[1].end, t0 + 3200ms);
  EXPECT_EQ((*runs)[2].begin, t0 + 4s);
  EXPECT_EQ((*runs)[2].end, t0 + 9s);
  const auto none = runs_of(train, 5);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::insufficient_data);
}

TEST(SteadyState, OfExecutionsThatTakeLongerHasIdleInTheRest) {
  const SteadyState steady{.joules = 50, .length = Seconds(0.1)};
  EXPECT_NEAR(steady.of(4, Seconds(0.5), Watts(60)).value(), 200 + 60 * 0.1, 1e-9);
  EXPECT_NEAR(steady.of(4, Seconds(0.39), Watts(60)).value(), 200 - 60 * 0.01, 1e-9);
}

/// Three runs of 5 s and one of 3 on a board that idles at 30 W more for half a second after work.
class SteadyStateOfTrain : public testing::Test {
 protected:
  static constexpr double kWorkW = 500.0;

  void SetUp() override {
    const std::string warm = "active_idle_w = 90.0\nactive_idle_hold_s = 0.5\nstep_down_s = 0.05\n";
    auto set = devices::open_devices({.selectors = {board_.selector("", warm)}, .seed = 6}, {});
    ASSERT_TRUE(set);
    load::Schedule run = kRun;
    run.duration = Seconds(5);
    const load::Schedule runs = train_of(run, 3, Seconds(1), 1);
    run.duration = Seconds(3);
    const load::Schedule both = one_after_other(runs, Seconds(1), run);
    auto loads = experiment::prepare_loads(*set, both, {}, {});
    ASSERT_TRUE(loads);
    auto measured = measure::measure(*set, *loads, both, {.figures = false});
    ASSERT_TRUE(measured);
    recording_ = std::move(measured->recordings.front());
    auto windows = runs_of(recording_, 4);
    ASSERT_TRUE(windows);
    last_ = {windows->back()};
    windows->pop_back();
    first_ = std::move(*windows);
  }

  Result<SteadyState> of_runs() const { return steady_state_of(recording_, first_, 1, {}); }
  Result<SteadyState> of_last() const { return steady_state_of(recording_, last_, 1, {}); }

  testing_support::TestBoard board_;
  Recording recording_;
  std::vector<Window> first_;
  std::vector<Window> last_;
};

TEST_F(SteadyStateOfTrain, IsTheGrossEnergyOfAnExecutionWithoutTheIdleBetween) {
  const auto runs = of_runs();
  const auto last = of_last();
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_TRUE(last) << last.error().message;
  // Readings every 20 ms of a board that nobody characterized.
  EXPECT_NEAR(runs->joules, 5 * kWorkW, 0.003 * 5 * kWorkW);
  EXPECT_NEAR(last->joules, 3 * kWorkW, 0.003 * 3 * kWorkW);
  EXPECT_NEAR(runs->length.count(), 5, 1e-6);
  EXPECT_GT(runs->uncertainty, 0.0);
  EXPECT_LT(runs->uncertainty, 0.005);
  ASSERT_TRUE(runs->run_to_run);
  EXPECT_LT(*runs->run_to_run, 0.003) << "equal runs";
  EXPECT_FALSE(last->run_to_run) << "of one run";
  for (const auto& steady : {*runs, *last}) {
    EXPECT_NEAR(steady.agreement, 1.0, 0.005);
    EXPECT_FALSE(steady.throttled);
  }
}

TEST_F(SteadyStateOfTrain, HowFarRunsDifferIsTold) {
  // The last run again, 3 s where the others take 5, as if it were one of the four.
  std::vector<Window> all = first_;
  all.push_back(last_.front());
  const auto four = steady_state_of(recording_, all, 1, {});
  ASSERT_TRUE(four) << four.error().message;
  ASSERT_TRUE(four->run_to_run);
  // Above the idle before the first, 60 W (90 W behind it are another level), they take 440 W for
  // 5, 5, 5 and 3 s; all of them 500 W for 4.5 on the mean.
  EXPECT_NEAR(*four->run_to_run, 440.0 / (500 * 4.5), 0.002);
}

TEST_F(SteadyStateOfTrain, LimitedClocksAreTold) {
  constexpr std::uint64_t kPowerCap = 4;
  const HostTime begin = recording_.windows.front().begin;
  recording_.health = {{.time = begin + 1s, .clocks_event_reasons = 0},
                       {.time = begin + 2s, .clocks_event_reasons = kPowerCap}};
  ASSERT_TRUE(of_runs());
  EXPECT_TRUE(of_runs()->throttled);
  ASSERT_TRUE(of_last());
  EXPECT_FALSE(of_last()->throttled);
}

TEST_F(SteadyStateOfTrain, IsNoneOfReadingsWithAHole) {
  const HostTime begin = recording_.windows.front().begin;
  recording_.events.push_back({begin + 1s, EventKind::gpu_lost, "lost"});
  const auto none = of_runs();
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("gpu_lost"), std::string::npos) << none.error().message;
}

TEST_F(SteadyStateOfTrain, IsNoneOfOneSourceAlone) {
  std::erase_if(recording_.traces,
                [](const Trace& trace) { return trace.source.kind == SourceKind::power_samples; });
  const auto none = of_runs();
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::unsupported) << none.error().message;
}

TEST_F(SteadyStateOfTrain, IsNoneWhereCounterAndRingDiffer) {
  for (Trace& trace : recording_.traces) {
    if (trace.source.kind != SourceKind::energy_counter) continue;
    for (Sample& sample : trace.samples) sample.value *= 1.01;
  }
  const auto none = of_runs();
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("differ by"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace truewatt::validate
