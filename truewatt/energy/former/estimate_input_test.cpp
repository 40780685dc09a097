#include "truewatt/energy/former/estimate_input.hpp"

#include <gtest/gtest.h>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

Interval about(double value, double half) { return {value, value - half, value + half, 0.95}; }

/// Lag that a window is given by a profile of this source.
std::optional<Uncertain> lag_by(const SourceProfile& source) {
  Recording recording;
  recording.traces = {make_trace(source.source, 0.1, 10.0, 0.1, step_counter(3.0, 5.0))};
  const Trace& trace = recording.traces.front();
  Profile profile;
  profile.sources = {source};
  const Knowledge knowledge{.profile = &profile};
  return padded_input(recording, {at(3.0), at(5.0), ""}, trace,
                      ticks::publications(trace, trace.begin), 0.1, knowledge)
      .lag_s;
}

SourceProfile counter() {
  return {.source = kCounter,
          .update_period_s = about(0.1, 0.0),
          .time_constant_s = about(0.013, 0.001),
          .delay_s = about(0.002, 0.001),
          .rise_time_s = about(0.02, 0.001),
          .total_lag_s = about(0.0552, 0.003),
          .counter = CounterProfile{.counting = Counting::all}};
}

TEST(PaddedInput, TakesTheLagOfACounterFromItsParts) {
  const auto lag = lag_by(counter());
  ASSERT_TRUE(lag);
  EXPECT_NEAR(lag->value, 0.015, 1e-9);
  EXPECT_NEAR(lag->standard_uncertainty, std::sqrt(2.0) * 0.001 / kCoverageFactor95, 1e-9);
}

// Its mean power of 100 ms is 55.2 ms late, so its count is 5.2 ms; up to half of the rise time of
// that may be the board's own.
TEST(PaddedInput, TakesTheLagOfACounterAsAWholeWhereItsPartsDoNotTell) {
  SourceProfile sums = counter();
  sums.counter->counting = Counting::sampled;
  SourceProfile no_delay = counter();
  no_delay.delay_s.reset();
  SourceProfile no_constant = counter();
  no_constant.time_constant_s.reset();
  for (const SourceProfile& source : {sums, no_delay, no_constant}) {
    const auto lag = lag_by(source);
    ASSERT_TRUE(lag);
    EXPECT_NEAR(lag->value, 0.0052, 1e-9);
    EXPECT_GT(lag->standard_uncertainty, 0.01);
    EXPECT_LT(lag->standard_uncertainty, 0.011);
  }
}

TEST(PaddedInput, KnowsNoLagWithoutADelay) {
  SourceProfile power = counter();
  power.source = kInstant;
  power.delay_s.reset();
  EXPECT_FALSE(lag_by(power));
}

// Idle of 100 W beside a step of 300 W over [3, 5] s, as a counter is told it that shows too
// little.
class IdleOfPowerSources : public testing::Test {
 protected:
  static constexpr SourceId kUsage{SourceKind::power_usage, Scope::gpu};

  void SetUp() override {
    recording_.traces = {make_trace(kCounter, 0.1, 10.0, 0.1, step_counter(3.0, 5.0)),
                         make_trace(kInstant, 0.1, 9.9, 0.1, step_power(3.0, 5.0))};
  }
  PaddedInput input() const {
    const Trace& trace = recording_.traces.front();
    return padded_input(recording_, {at(3.0), at(5.0), ""}, trace,
                        ticks::publications(trace, trace.begin), 0.1, {});
  }

  Recording recording_;
};

TEST_F(IdleOfPowerSources, IsNotThatOfATrailingMeanWhereOneLooksAtOnce) {
  // A second late.
  recording_.traces.insert(recording_.traces.begin() + 1,
                           make_trace(kUsage, 0.1, 10.0, 0.1, step_power(4.0, 6.0)));
  ASSERT_TRUE(input().idle_after_w);
  EXPECT_NEAR(input().idle_after_w->value, 100.0, 0.5);
}

TEST_F(IdleOfPowerSources, EndsWhereOtherWorkBegins) {
  // Behind the window 0.3 s of idle, then work; before it the same.
  recording_.traces.back() = make_trace(kInstant, 0.1, 10.0, 0.02, [](double t) {
    const bool works = (t > 1.0 && t < 2.7) || (t > 3.0 && t < 5.0) || (t > 5.3 && t < 7.0);
    return works ? 300.0 : 100.0;
  });
  recording_.activity = {{at(1.0), at(2.7), ""}, {at(3.0), at(5.0), ""}, {at(5.3), at(7.0), ""}};
  ASSERT_TRUE(input().idle_before_w);
  ASSERT_TRUE(input().idle_after_w);
  // The reading that is held over the work's end is one of 15.
  EXPECT_NEAR(input().idle_before_w->value, 100.0, 200.0 / 15 + 0.1);
  EXPECT_NEAR(input().idle_after_w->value, 100.0, 0.1);
  EXPECT_GT(input().idle_before_w->standard_uncertainty, 4.9) << "a short look";
}

}  // namespace
}  // namespace truewatt::energy
