#include "truewatt/identification/counter/counter_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "truewatt/identification/fit/load_response.hpp"
#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kTick = 0.1;
constexpr double kCountedIdle = 60.0;
constexpr double kCountedStep = 250.0;
constexpr double kCountedLength = 40.0;
constexpr double kCountedDelay = 0.002;

std::vector<Work> work_for_counters() {
  std::mt19937 rng(11);
  return random_work(kCountedLength, 0.004, 0.09, rng);
}

/// What a counter does with power: the weights of `kernel`, by brute force over its inner steps.
struct Counter {
  double lag = 0.0;
  double gap_begin = 0.0;
  double gap_length = 0.0;
  int inner_readings = 0;  ///< 0: looks all the time
  double inner_window = 0.0;
};

/// Power behind the counter's lag, on steps of 50 us.
class LaggedPower {
 public:
  LaggedPower(const std::vector<Work>& work, double lag) {
    double power = kCountedIdle;
    std::size_t next = 0;
    for (double t = 0.0; t < kCountedLength; t += kStep) {
      while (next < work.size() && work[next].end <= t) ++next;
      const bool busy = next < work.size() && work[next].begin <= t;
      const double now = kCountedIdle + (busy ? kCountedStep : 0.0);
      power = lag > 0 ? power + (now - power) * -std::expm1(-kStep / lag) : now;
      values_.push_back(power);
      sums_.push_back((sums_.empty() ? 0.0 : sums_.back()) + power * kStep);
    }
  }
  double at(double t) const { return values_.at(index(t)); }
  double joules(double begin, double end) const {
    return sums_.at(index(end)) - sums_.at(index(begin));
  }

 private:
  static constexpr double kStep = 5e-5;
  static std::size_t index(double t) { return static_cast<std::size_t>(std::lround(t / kStep)); }
  std::vector<double> values_;
  std::vector<double> sums_;
};

double increment(const Counter& counter, const LaggedPower& power, double begin) {
  if (counter.inner_readings > 0) {
    const double inner = kTick / counter.inner_readings;
    double joules = 0.0;
    for (int i = 1; i <= counter.inner_readings; ++i) {
      const double at = begin + i * inner;
      joules += power.joules(at - counter.inner_window, at) / counter.inner_window * inner;
    }
    return joules;
  }
  const double gap_end = begin + counter.gap_begin + counter.gap_length;
  return power.joules(begin, begin + counter.gap_begin) + power.at(gap_end) * counter.gap_length +
         power.joules(gap_end, begin + kTick);
}

std::vector<ticks::Tick> ticks_of(const Counter& counter, const std::vector<Work>& work) {
  const LaggedPower power(work, counter.lag);
  std::mt19937 rng(5);
  std::normal_distribution<double> noise(0.0, 0.02);
  std::vector<ticks::Tick> ticks;
  double joules = 1000.0;
  for (double t = 0.5; t < kCountedLength - 2 * kTick; t += kTick) {
    joules += increment(counter, power, t);
    ticks.push_back({t + kTick + kCountedDelay, 1e-4, joules + noise(rng)});
  }
  return ticks;
}

CounterFit counter_fit_of(const Counter& counter) {
  const auto work = work_for_counters();
  return fit_counter(ticks_of(counter, work), work, kTick).value();
}

void expect_within(const Interval& interval, double truth, double slack = 0.0) {
  EXPECT_LE(interval.lower, truth + slack);
  EXPECT_GE(interval.upper, truth - slack);
}

TEST(CounterFit, ACounterThatLooksAllTheTimeIsComplete) {
  const CounterFit fit = counter_fit_of({.lag = 0.013});
  EXPECT_EQ(fit.counting, Counting::all);
  EXPECT_DOUBLE_EQ(fit.duty(kTick), 1.0);
  expect_within(fit.fit.averaging_window, kTick);
  expect_within(fit.fit.time_constant, 0.013);
  expect_within(fit.fit.delay, kCountedDelay, 1e-4);
  EXPECT_FALSE(fit.was_reset);
}

TEST(CounterFit, OneReadingATickIsAPartOfTheTime) {
  const CounterFit fit = counter_fit_of({.inner_readings = 1, .inner_window = 0.025});
  EXPECT_EQ(fit.counting, Counting::sampled);
  EXPECT_DOUBLE_EQ(fit.inner_period, kTick);
  expect_within(fit.fit.averaging_window, 0.025);
  EXPECT_NEAR(fit.duty(kTick), 0.25, 0.02);
}

// One after the other they count every moment once. Behind a slow filter and with jittering ticks a
// counter that looks all the time cannot be told from them.
TEST(CounterFit, MeansAboutAsLongAsTheirPeriodLeaveNothingOut) {
  for (const double window : {0.1, 0.104, 0.11}) {
    const CounterFit fit = counter_fit_of({.inner_readings = 1, .inner_window = window});
    EXPECT_NE(fit.counting, Counting::sampled) << window;
    EXPECT_GT(fit.duty(kTick), 0.99) << window;
  }
  EXPECT_EQ(counter_fit_of({.inner_readings = 1, .inner_window = 0.13}).counting,
            Counting::sampled);
}

TEST(CounterFit, FiveReadingsATickAreTold) {
  const CounterFit fit = counter_fit_of({.inner_readings = 5, .inner_window = 0.006});
  EXPECT_EQ(fit.counting, Counting::sampled);
  EXPECT_NEAR(fit.inner_period, 0.02, 1e-9);
  expect_within(fit.fit.averaging_window, 0.006, 2e-4);
  EXPECT_NEAR(fit.duty(kTick), 0.3, 0.04);
}

TEST(CounterFit, AGapAfterEveryTickIsFound) {
  const CounterFit fit = counter_fit_of({.lag = 0.013, .gap_begin = 0.005, .gap_length = 0.0115});
  EXPECT_EQ(fit.counting, Counting::gap);
  EXPECT_NEAR(fit.gap_begin, 0.005, 0.0025);
  expect_within(fit.gap_length, 0.0115);
  expect_within(fit.fit.time_constant, 0.013, 2e-4);
  EXPECT_DOUBLE_EQ(fit.duty(kTick), 1.0) << "the lag remembers more than the gap misses";
  const CounterFit bare = counter_fit_of({.gap_begin = 0.01, .gap_length = 0.02});
  EXPECT_EQ(bare.counting, Counting::gap);
  EXPECT_NEAR(bare.duty(kTick), 0.8, 0.03);
}

/// How late an increment is on average: the mean age of what it sums.
double mean_age(const CounterFit& fit) { return total_lag(fit.fit.joint) + fit.older; }

TEST(CounterFit, KnowsHowOldIsWhatAnIncrementSumsHoweverItIsCounted) {
  constexpr double kClose = 3e-4;
  EXPECT_NEAR(mean_age(counter_fit_of({.lag = 0.013})), kCountedDelay + 0.013 + kTick / 2, kClose);
  // Readings of the last 6 ms at ages of 0, 20, 40, 60 and 80 ms.
  EXPECT_NEAR(mean_age(counter_fit_of({.inner_readings = 5, .inner_window = 0.006})),
              kCountedDelay + 0.003 + 0.04, kClose);
  // 20 ms are charged by their end, 70 ms before the tick, instead of by their middle; the gap is
  // looked for in steps of 0.2 ms, its begin is known to 2.5.
  EXPECT_NEAR(mean_age(counter_fit_of({.gap_begin = 0.01, .gap_length = 0.02})),
              kCountedDelay + kTick / 2 - 0.2 * 0.01, 0.2 * 0.0025 + kClose);
}

TEST(CounterFit, KnowsTheTotalLagOfAGapAsWellAsThatOfAWindow) {
  EXPECT_LT(counter_fit_of({.lag = 0.013}).fit.joint.total_lag_sd_s, 5e-4);
  const CounterFit gap = counter_fit_of({.lag = 0.013, .gap_begin = 0.005, .gap_length = 0.0115});
  EXPECT_LT(gap.fit.joint.total_lag_sd_s, 5e-4);
  EXPECT_GT(gap.older_sd, 0.0);
  EXPECT_LT(gap.older_sd, 5e-4);
}

TEST(CounterFit, CountsAtTheAgeOfWhatItSums) {
  EXPECT_NEAR(counter_fit_of({.lag = 0.013}).age, kCountedDelay + 0.013, 3e-4);
  // Five readings stand for the 20 ms after them as well as for those before.
  EXPECT_NEAR(counter_fit_of({.inner_readings = 5, .inner_window = 0.006}).age,
              kCountedDelay + 0.003 - 0.01, 3e-4);
}

TEST(CounterFit, AResetIsSaidAndNotFitted) {
  const auto work = work_for_counters();
  auto ticks = ticks_of({.lag = 0.013}, work);
  for (std::size_t i = 200; i < ticks.size(); ++i) ticks[i].value -= 3000.0;
  const CounterFit fit = fit_counter(ticks, work, kTick).value();
  EXPECT_TRUE(fit.was_reset);
  expect_within(fit.fit.averaging_window, kTick);
}

TEST(Increments, LeaveOutMissedTicks) {
  const std::vector<ticks::Tick> ticks = {
      {0.0, 0, 0.0}, {0.1, 0, 10.0}, {0.3, 0, 30.0}, {0.4, 0, 35.0}, {0.5, 0, 45.0, false}};
  const auto found = increments(ticks, 0.1);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].value, 100.0, 1e-9);
  EXPECT_NEAR(found[1].value, 50.0, 1e-9);
}

TEST(CounterFit, NothingWithoutReadings) { EXPECT_FALSE(fit_counter({}, {}, kTick)); }

}  // namespace
}  // namespace truewatt::identification
