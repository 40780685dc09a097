#include "truewatt/trace/naive.hpp"

#include <gtest/gtest.h>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::trace {
namespace {

TEST(Naive, HoldsEachReadingUntilTheNext) {
  const Trace trace = make_trace(kInstant, 0.1, 4.0, 0.1, step_power(1.0, 2.0), 0.0);
  // The reading of tick 1.0 still says 100 W; 300 W shows from 1.1 to 2.1.
  EXPECT_NEAR(naive_energy(trace, {at(0.5), at(3.0), ""})->value(), 100 * 1.5 + 300 * 1.0, 1e-6);
}

TEST(Naive, CountsIntervalsWherePowerFalls) {
  const Trace trace = make_trace(kInstant, 0.1, 4.0, 0.1, step_power(1.0, 2.0), 0.0);
  EXPECT_NEAR(naive_energy(trace, {at(1.95), at(2.25), ""})->value(), 300 * 0.15 + 100 * 0.15,
              1e-6);
}

TEST(Naive, CounterIsTheDifferenceOfWhatItShowed) {
  const Trace trace = make_trace(kCounter, 0.1, 4.0, 0.1, step_counter(1.0, 2.0), 0.0);
  EXPECT_NEAR(naive_energy(trace, {at(1.05), at(2.05), ""})->value(), 300.0, 1e-6);
}

TEST(Naive, SplittingAWindowConservesEnergy) {
  const Trace trace = make_trace(kInstant, 0.1, 4.0, 0.1, step_power(1.0, 2.0), 0.0);
  const double whole = naive_energy(trace, {at(0.33), at(3.77), ""})->value();
  const double first = naive_energy(trace, {at(0.33), at(1.55), ""})->value();
  const double second = naive_energy(trace, {at(1.55), at(3.77), ""})->value();
  EXPECT_NEAR(whole, first + second, 1e-9);
}

TEST(Naive, IsAbsentWhereNothingWasPolled) {
  const Trace trace = make_trace(kInstant, 1.0, 2.0, 0.1, step_power(1.0, 2.0));
  EXPECT_FALSE(naive_energy(trace, {at(0.1), at(0.5), ""}));
  EXPECT_FALSE(naive_energy(trace, {at(1.5), at(5.0), ""}));
}

TEST(Naive, NeverReportsACounterThatWentBackwards) {
  Trace trace = make_trace(kCounter, 0.1, 4.0, 0.1, step_counter(1.0, 2.0));
  for (std::size_t i = 20; i < trace.samples.size(); ++i) trace.samples[i].value -= 1100;
  EXPECT_FALSE(naive_energy(trace, {at(1.0), at(3.0), ""}));
}

TEST(MeanHeldPower, IsTheMean) {
  const Trace trace = make_trace(kInstant, 0.1, 4.0, 0.1, step_power(1.0, 2.0), 0.0);
  EXPECT_NEAR(mean_held_power(trace, at(0.6), at(1.6))->value(), 200, 1e-6);
  EXPECT_FALSE(mean_held_power(trace, at(1), at(1)));
}

}  // namespace
}  // namespace truewatt::trace
