#include "truewatt/identification/fit/window_loss.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "truewatt/testing/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kLossPeriod = 0.1;
constexpr double kLossNoise = 0.5;
constexpr double kLossLength = 20.0;

/// A source of known window and lag, its readings of random work, and what is fitted to them.
struct Fitted {
  std::vector<Work> work;
  std::vector<ticks::Tick> readings;
  ObservationFit fit;

  FitData data() const { return {readings, work}; }
};

Fitted fitted(double window, double lag) {
  std::mt19937 rng(3);
  std::normal_distribution<double> noise(0.0, kLossNoise);
  JointFit truth;
  truth.structure.lag = lag > 0;
  truth.parameters[kLogWindow] = std::log(window);
  truth.parameters[kDelay] = 0.003;
  truth.parameters[kLogLag] = std::log(lag > 0 ? lag : 1.0);
  truth.idle_w = 60.0;
  truth.amplitude_w = 250.0;
  Fitted result{.work = random_work(kLossLength, 0.01, 0.2, rng)};
  for (std::size_t i = 0; i < static_cast<std::size_t>(kLossLength / kLossPeriod); ++i) {
    result.readings.push_back({0.5 + static_cast<double>(i) * kLossPeriod, 1e-5, 0.0});
  }
  const auto values = readings_of(truth, result.readings, result.work);
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.readings[i].value = values[i] + noise(rng);
  }
  result.fit = fit_observation(result.data(), kLossPeriod).value();
  return result;
}

const Alternative& named(const std::vector<Alternative>& alternatives, const std::string& name) {
  return *std::find_if(alternatives.begin(), alternatives.end(),
                       [&](const Alternative& one) { return one.name == name; });
}

TEST(WindowLoss, IsLeastAtTheTrueWindowAndTheNoiseIsLeftThere) {
  const Fitted boxcar = fitted(0.025, 0.0);
  const auto windows = windows_to_try(boxcar.fit.averaging_window.value, kLossPeriod);
  const auto losses = loss_by_window(boxcar.data(), boxcar.fit.joint, windows);
  ASSERT_EQ(losses.size(), windows.size());
  const auto best = std::min_element(
      losses.begin(), losses.end(),
      [](const WindowLoss& a, const WindowLoss& b) { return a.excess_cost < b.excess_cost; });
  EXPECT_NEAR(best->window_s, 0.025, 5e-4);
  // The root mean square of 200 readings' noise is known to 5 %; three times that.
  EXPECT_NEAR(best->rms_w, kLossNoise, 0.15 * kLossNoise);
  EXPECT_EQ(best->excess_cost, 0.0);
  EXPECT_GT(losses.front().rms_w, 5 * best->rms_w);
  EXPECT_GT(losses.back().rms_w, 5 * best->rms_w);
}

TEST(WindowLoss, OfAFilterIsFlatBelowItUntilTheLagIsForbidden) {
  const Fitted filter = fitted(0.001, 0.013);
  const auto windows = windows_to_try(filter.fit.averaging_window.value, kLossPeriod);
  const auto with = loss_by_window(filter.data(), filter.fit.joint, windows);
  const auto without = loss_by_window(filter.data(), filter.fit.joint, windows, SensorLag::without);
  const auto less = [](const WindowLoss& a, const WindowLoss& b) { return a.rms_w < b.rms_w; };
  const double best = std::min_element(with.begin(), with.end(), less)->rms_w;
  EXPECT_NEAR(best, kLossNoise, 0.15 * kLossNoise);
  EXPECT_NEAR(with.front().rms_w, best, 0.1 * best);
  EXPECT_GT(std::min_element(without.begin(), without.end(), less)->rms_w, 3 * best);
}

TEST(WindowLoss, TriesTheFittedWindowAmongOthersInOrder) {
  for (const double fitted_window : {0.0002, 0.013, 0.1, 1.0, 1.6}) {
    const auto windows = windows_to_try(fitted_window, kLossPeriod, 21);
    ASSERT_EQ(windows.size(), 21U);
    EXPECT_TRUE(std::is_sorted(windows.begin(), windows.end()));
    EXPECT_NE(std::find(windows.begin(), windows.end(), fitted_window), windows.end());
  }
}

TEST(Alternatives, TellABoxcarFromAFilter) {
  const Fitted boxcar = fitted(0.025, 0.0);
  const auto of_boxcar = alternatives_of(boxcar.data(), boxcar.fit);
  EXPECT_TRUE(named(of_boxcar, "window alone").chosen);
  EXPECT_GT(named(of_boxcar, "filter alone").bic_above, 100.0);
  EXPECT_GT(named(of_boxcar, "point samples").rms_w, named(of_boxcar, "filter alone").rms_w);
  const Fitted filter = fitted(0.001, 0.013);
  const auto of_filter = alternatives_of(filter.data(), filter.fit);
  EXPECT_GT(named(of_filter, "window alone").bic_above, 100.0);
  EXPECT_LT(named(of_filter, "filter alone").rms_w, 1.2 * kLossNoise);
  EXPECT_EQ(std::count_if(of_filter.begin(), of_filter.end(),
                          [](const Alternative& one) { return one.chosen; }),
            1);
}

}  // namespace
}  // namespace truewatt::identification
