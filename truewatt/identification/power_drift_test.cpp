#include "truewatt/identification/power_drift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/random_work.hpp"
#include "truewatt/identification/warmth_fit.hpp"

namespace truewatt::identification {
namespace {

constexpr double kPeriod = 0.02;  // s
constexpr double kStep = 200.0;   // W
constexpr double kIdle = 60.0;

/// A point-sampling sensor of a board that draws kIdle and kIdle + kStep, and what `drift` adds.
struct Example {
  explicit Example(double length, double noise = 0.0, unsigned seed = 3) {
    std::mt19937 rng(seed);
    work = random_work(length, 0.05, 0.4, rng);
    for (int k = 10; kPeriod * k < length; ++k) readings.push_back({kPeriod * k, 1e-5, 0.0});
    fit.parameters = {std::log(0.001), 0.0, 0.0, 0.0, 0.0};
    fit.idle_w = kIdle;
    fit.amplitude_w = kStep;
    fit.noise_sd_w = noise > 0 ? noise : 0.01;
    std::normal_distribution<double> error(0.0, 1.0);
    const auto values = readings_of(fit, readings, work);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      readings[k].value = values[k] + noise * error(rng);
    }
  }
  /// Adds power that depends on the time and on whether there was work.
  template <class Function>
  void add(Function drift) {
    const auto unit = unit_response(data(), fit);
    for (std::size_t k = 0; k < readings.size(); ++k) {
      readings[k].value += drift(readings[k].time, unit[k]);
    }
  }
  FitData data() const { return {readings, work}; }
  double middle() const { return (readings.front().time + readings.back().time) / 2; }

  std::vector<Work> work;
  std::vector<energy::Tick> readings;
  JointFit fit;
};

TEST(PowerDrift, IsThatOfIdleAndOfWorkInClosedForm) {
  Example example(10.0);
  example.add([&](double t, double unit) { return (t - example.middle()) * (0.3 - 0.5 * unit); });
  const auto drift = fit_drift(example.data(), example.fit);
  ASSERT_TRUE(drift);
  // Least squares of what is exactly in the model: nothing but rounding is left.
  EXPECT_NEAR(drift->idle_w_per_s.value, 0.3, 1e-6);
  EXPECT_NEAR(drift->work_w_per_s.value, -0.2, 1e-6);
  EXPECT_NEAR(drift->amplitude_w, kStep, 1e-6);
  EXPECT_DOUBLE_EQ(drift->length_s, example.readings.back().time - example.readings.front().time);
}

// 95 % of 200 within three standard deviations of the count, 4.6 %.
TEST(PowerDrift, KnowsHowWellItKnows) {
  int idle = 0;
  int work = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Example example(6.0, 1.0, seed);
    const auto drift = fit_drift(example.data(), example.fit);
    ASSERT_TRUE(drift);
    const auto holds = [](const Uncertain& x) {
      return std::abs(x.value) < kCoverageFactor95 * x.standard_uncertainty ? 1 : 0;
    };
    idle += holds(drift->idle_w_per_s);
    work += holds(drift->work_w_per_s);
  }
  EXPECT_GE(idle, 180);
  EXPECT_GE(work, 180);
}

TEST(PowerDrift, IsNotToldWithoutWorkAtDifferentTimes) {
  Example example(10.0, 0.1);
  example.work.clear();
  EXPECT_FALSE(fit_drift(example.data(), example.fit));
  Example few(10.0, 0.1);
  few.readings.resize(19);
  EXPECT_FALSE(fit_drift(few.data(), few.fit));
}

/// Warmth by the definition, stepped through at a tenth of a millisecond.
double stepped_warmth(const std::vector<Work>& work, double tau, double before, double until) {
  constexpr double kDt = 1e-4;
  double warmth = before;
  const auto steps = static_cast<int>((until - work.front().begin) / kDt);
  for (int i = 0; i < steps; ++i) {
    const double t = work.front().begin + (i + 0.5) * kDt;
    double level = 0.0;
    for (const Work& one : work) level += t >= one.begin && t < one.end ? one.height : 0.0;
    warmth += (level - warmth) * kDt / tau;
  }
  return warmth;
}

TEST(Warmth, OfABoardThatWarmsUpIsFound) {
  for (const double tau : {5.0, 12.0}) {
    Example example(12.0, 0.3);
    double warmth = 0.0;
    double last = example.work.front().begin;
    // First order between readings: exact, as work changes at readings to within one of them.
    example.add([&](double t, double unit) {
      if (t < last) return 0.0;
      warmth = unit + (warmth - unit) * std::exp(-(t - last) / tau);
      last = t;
      return 20.0 * warmth;
    });
    const auto found = fit_warmth(example.data(), example.fit, 12.0);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->time_constant_s, tau);
    EXPECT_NEAR(found->now, stepped_warmth(example.work, tau, 0.0, 12.0), 0.02);
  }
}

TEST(Warmth, OfABoardThatWasHotIsFound) {
  Example example(12.0, 0.3);
  const double first = example.work.front().begin;
  double warmth = 1.0;
  double last = first;
  example.add([&](double t, double unit) {
    if (t < last) return 20.0;
    warmth = unit + (warmth - unit) * std::exp(-(t - last) / 8.0);
    last = t;
    return 20.0 * warmth;
  });
  std::erase_if(example.readings, [first](const energy::Tick& one) { return one.time < first; });
  const auto found = fit_warmth(example.data(), example.fit, 12.0);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->now, stepped_warmth(example.work, 8.0, 1.0, 12.0), 0.1);
}

TEST(Warmth, SaysHowLongToWorkOrToRest) {
  // d warmth/dt = (1 - warmth)/tau under full work, -warmth/tau at rest.
  EXPECT_NEAR(work_towards({10.0, 0.0}, 0.5), 10.0 * std::log(2.0), 1e-12);
  EXPECT_NEAR(work_towards({10.0, 1.0}, 0.5), -10.0 * std::log(2.0), 1e-12);
  EXPECT_DOUBLE_EQ(work_towards({30.0, 0.5}, 0.5), 0.0);
}

}  // namespace
}  // namespace truewatt::identification
