#include "truewatt/energy/estimate_input.hpp"

#include <gtest/gtest.h>

#include "truewatt/energy/test_traces.hpp"

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
  return padded_input(recording, {at(3.0), at(5.0), ""}, trace, publications(trace, trace.begin),
                      0.1, knowledge)
      .lag_s;
}

SourceProfile counter() {
  return {.source = kCounter,
          .update_period_s = about(0.1, 0.0),
          .time_constant_s = about(0.013, 0.001),
          .delay_s = about(0.002, 0.001),
          .rise_time_s = about(0.02, 0.001),
          .total_lag_s = about(0.0552, 0.003),
          .counter = CounterProfile{.counting = "all"}};
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
  sums.counter->counting = "sampled";
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

}  // namespace
}  // namespace truewatt::energy
