#include "truewatt/study/steady_state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <tuple>

#include "truewatt/study/measurement.hpp"
#include "truewatt/study/session.hpp"
#include "truewatt/study/test_board.hpp"

namespace truewatt::study {
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

TEST(Parted, InTheMiddleOfTheIdleThatWas) {
  const HostTime t0{100s};
  Recording late{.windows = {{t0, t0 + 9s, "load"}},
                 .activity = {{t0, t0 + 1s, "work"},
                              {t0 + 2s, t0 + 3200ms, "work"},  // was to end at 3 s
                              {t0 + 4s, t0 + 9s, "work"}}};    // ... at 8 s
  const auto [first, second] = parted(late, Seconds(4));
  EXPECT_EQ(first.begin, t0);
  EXPECT_EQ(first.end, t0 + 3600ms);
  EXPECT_EQ(second.begin, first.end);
  EXPECT_EQ(second.end, t0 + 9s) << "all of the work";
  late.activity.back().begin += 100ms;
  EXPECT_EQ(parted(late, Seconds(4)).second.begin, t0 + 3650ms);
}

/// Three runs of 5 s and one of 3.
class SteadyStateOfTrain : public testing::Test {
 protected:
  void SetUp() override {
    auto set = open_devices({.selectors = {board_.selector()}, .seed = 6}, {});
    ASSERT_TRUE(set);
    load::Schedule run = kRun;
    run.duration = Seconds(5);
    const load::Schedule runs = train_of(run, 3, Seconds(1), 1);
    run.duration = Seconds(3);
    const load::Schedule both = one_after_other(runs, Seconds(1), run);
    auto loads = prepare_loads(*set, both, {}, {});
    ASSERT_TRUE(loads);
    auto measured = measure(*set, *loads, both, {.figures = false});
    ASSERT_TRUE(measured);
    const energy::EnergyEstimate& all = measured->run.devices.front();
    gross_j_ = all.truth->value();
    net_j_ = gross_j_ - all.baseline->value() * all.window.count();
    recording_ = std::move(measured->recordings.front());
    std::tie(first_, last_) = parted(recording_, runs.duration + Seconds(1));
  }

  Result<SteadyState> of_runs() const {
    return steady_state_of(recording_, first_, {.runs = 3}, {});
  }
  Result<SteadyState> of_last() const { return steady_state_of(recording_, last_, {}, {}); }

  TestBoard board_;
  Recording recording_;
  double net_j_ = 0.0;
  double gross_j_ = 0.0;
  Window first_;
  Window last_;
};

TEST_F(SteadyStateOfTrain, IsTheMeanOfAStretchAboveIdle) {
  const auto runs = of_runs();
  const auto last = of_last();
  ASSERT_TRUE(runs) << runs.error().message;
  ASSERT_TRUE(last) << last.error().message;
  EXPECT_NEAR(3 * runs->net_j + last->net_j, net_j_, 0.005 * net_j_)
      << "what counter and ring may differ by";
  EXPECT_LT(last->net_j, 0.75 * runs->net_j);
  ASSERT_TRUE(runs->run_to_run);
  EXPECT_LT(*runs->run_to_run, 0.003) << "equal runs";
  EXPECT_FALSE(last->run_to_run) << "of one run";
  for (const auto& steady : {*runs, *last}) {
    EXPECT_NEAR(steady.agreement, 1.0, 0.005);
    EXPECT_FALSE(steady.throttled);
  }
}

TEST_F(SteadyStateOfTrain, HowFarRunsStrayIsTold) {
  // The last run again, 3 s where the others take 5, as if it were one of the four.
  const auto all = steady_state_of(recording_, recording_.windows.front(), {.runs = 4}, {});
  ASSERT_TRUE(all) << all.error().message;
  ASSERT_TRUE(all->run_to_run);
  // Energies above idle are 5, 5, 5 and 3 parts; idle is in the mean of all.
  const double idle_share = 1 - 4 * all->net_j / gross_j_;
  EXPECT_NEAR(*all->run_to_run, (1 - idle_share) * 1.0 / 4.5, 0.01);
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
  recording_.events.push_back({begin + 1s, "gpu_lost", "lost"});
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
}  // namespace truewatt::study
