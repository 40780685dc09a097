#include "truewatt/study/steady_state.hpp"

#include <gtest/gtest.h>

#include "truewatt/study/session.hpp"

namespace truewatt::study {
namespace {

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

class SteadyStateOfTrain : public testing::Test {
 protected:
  void SetUp() override {
    auto set = open_devices({.selectors = {"sim:h200"}, .seed = 4}, {});
    ASSERT_TRUE(set);
    set_.emplace(std::move(*set));
    // Long: nobody characterized the sensors, which see an end tens of milliseconds off.
    load::Schedule run = kRun;
    run.duration = Seconds(5);
    const load::Schedule schedule = train_of(run, 3, Seconds(1), 1);
    auto loads = prepare_loads(*set_, schedule, {}, {});
    ASSERT_TRUE(loads);
    auto measured = measure(*set_, *loads, schedule, {.figures = false});
    ASSERT_TRUE(measured);
    train_.emplace(std::move(*measured));
  }

  std::optional<DeviceSet> set_;
  std::optional<Measurement> train_;
};

TEST_F(SteadyStateOfTrain, IsTheMeanOfItsRunsAboveIdle) {
  const auto steady = steady_state_of(*train_, set_->devices.front(), 3);
  ASSERT_TRUE(steady) << steady.error().message;
  const energy::EnergyEstimate& all = train_->run.devices.front();
  const double net = (all.truth->value() - all.baseline->value() * all.window.count()) / 3;
  EXPECT_NEAR(steady->net_j, net, 0.005 * net) << "what counter and ring may differ by";
  ASSERT_TRUE(steady->agreement);
  EXPECT_NEAR(*steady->agreement, 1.0, 0.003);
  EXPECT_FALSE(steady->throttled);
}

TEST_F(SteadyStateOfTrain, LimitedClocksAreToldAndAHoleIsNone) {
  energy::EnergyEstimate& all = train_->run.devices.front();
  all.valid = false;
  all.reasons.push_back(energy::Reason::throttle_change);
  const auto steady = steady_state_of(*train_, set_->devices.front(), 3);
  ASSERT_TRUE(steady);
  EXPECT_TRUE(steady->throttled);
  all.reasons.push_back(energy::Reason::counter_reset);
  const auto none = steady_state_of(*train_, set_->devices.front(), 3);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("counter_reset"), std::string::npos);
}

TEST_F(SteadyStateOfTrain, IsNoneWhereCounterAndRingDiffer) {
  for (Trace& trace : train_->recordings.front().traces) {
    if (trace.source.kind != SourceKind::energy_counter) continue;
    for (Sample& sample : trace.samples) sample.value *= 1.01;
  }
  const auto none = steady_state_of(*train_, set_->devices.front(), 3);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("differ by"), std::string::npos) << none.error().message;
}

}  // namespace
}  // namespace truewatt::study
