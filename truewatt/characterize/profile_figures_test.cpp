#include "truewatt/characterize/profile_figures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "truewatt/testing/characterized.hpp"

namespace truewatt::characterize {
namespace {

ProfileFigures figures_on(const std::string& device) { return figures_of(characterized(device)); }

const SourceFigures& figures_of_kind(const ProfileFigures& figures, SourceKind kind) {
  const auto found =
      std::find_if(figures.sources.begin(), figures.sources.end(),
                   [kind](const SourceFigures& one) { return one.source.kind == kind; });
  if (found == figures.sources.end()) throw std::runtime_error("source is missing");
  return *found;
}

const LossPoint& least(const LossCurve& curve) {
  return *std::min_element(curve.points.begin(), curve.points.end(),
                           [](const auto& a, const auto& b) { return a.rms_w < b.rms_w; });
}

const StructureFit& named(const SourceFigures& figures, const std::string& name) {
  return *std::find_if(figures.structures.begin(), figures.structures.end(),
                       [&](const StructureFit& one) { return one.name == name; });
}

double rms_residual(const Reconstruction& drawn) {
  double sum = 0.0;
  for (const ModelledReading& one : drawn.readings) {
    sum += (one.reading_w - one.model_w) * (one.reading_w - one.model_w);
  }
  return std::sqrt(sum / static_cast<double>(drawn.readings.size()));
}

std::vector<ticks::Tick> ticks_every(const std::vector<double>& intervals) {
  std::vector<ticks::Tick> ticks{{0.0, 0.0, 0.0}};
  for (const double interval : intervals) ticks.push_back({ticks.back().time + interval, 0.0, 0.0});
  return ticks;
}

TEST(IntervalHistogram, CountsEveryIntervalOnceAndKeepsTheMedian) {
  const auto histogram =
      interval_histogram(ticks_every({0.0991, 0.1001, 0.1002, 0.0985, 0.1003, 0.2002, 0.9}), 0.1);
  ASSERT_TRUE(histogram);
  EXPECT_DOUBLE_EQ(histogram->bin_s, 0.002);
  EXPECT_NEAR(histogram->median_s, 0.1002, 1e-9);
  EXPECT_EQ(histogram->outside, 1U);  // nine periods
  EXPECT_EQ(std::accumulate(histogram->counts.begin(), histogram->counts.end(), std::size_t{0}),
            6U);
  const auto bin = [&](double interval) {
    return histogram
        ->counts[static_cast<std::size_t>((interval - histogram->first_s) / histogram->bin_s)];
  };
  EXPECT_EQ(bin(0.1), 4U);  // from 99 to 101 ms
  EXPECT_EQ(bin(0.098), 1U);
  EXPECT_EQ(bin(0.2), 1U);
}

TEST(IntervalHistogram, LeavesOutIntervalsInWhichNobodyLooked) {
  auto ticks = ticks_every({0.1, 0.1, 0.1, 0.1, 3.0});
  ticks.back().follows = false;
  EXPECT_EQ(interval_histogram(ticks, 0.1)->outside, 0U);
  ticks.resize(4);
  EXPECT_FALSE(interval_histogram(ticks, 0.1));
}

TEST(ProfileFigures, ShowTheFilterOfAnA100) {
  const ProfileFigures figures = figures_on("sim:a100");
  const SourceFigures& instant = figures_of_kind(figures, SourceKind::power_instant);
  ASSERT_EQ(instant.losses.size(), 2U);
  ASSERT_EQ(instant.losses[0].name, "window and filter");
  // A boxcar cannot follow what a filter shows, whatever its length (recorded boards: 6 W, 2 W).
  EXPECT_GT(least(instant.losses[1]).rms_w, 2 * least(instant.losses[0]).rms_w);
  EXPECT_GT(named(instant, "window alone").rms_w, 2 * named(instant, "filter alone").rms_w);
  EXPECT_GT(named(instant, "window alone").bic_above, 100.0);
  ASSERT_TRUE(instant.reconstruction);
  // What is drawn is the fit that the loss curve has at its best.
  EXPECT_NEAR(rms_residual(*instant.reconstruction), least(instant.losses[0]).rms_w,
              0.1 * least(instant.losses[0]).rms_w);
}

TEST(ProfileFigures, OverlayStepsThatRiseFromIdleToTheSettledPower) {
  const ProfileFigures figures = figures_on("sim:rtx3090");
  const SourceFigures& average = figures_of_kind(figures, SourceKind::power_average);
  ASSERT_TRUE(average.steps);
  EXPECT_FALSE(average.steps->steps.front().fitted);  // the context had just begun
  const StepReadings& model = average.steps->model;
  ASSERT_EQ(model.since_s.size(), model.power_w.size());
  const double rise = model.power_w.back() - model.power_w.front();
  EXPECT_GT(rise, 100.0);
  for (const StepReadings& step : average.steps->steps) {
    if (!step.fitted) continue;
    for (std::size_t i = 0; i < step.since_s.size(); ++i) {
      // The trailing second is a ramp from 0 to 1 s: 3 % of it for noise, delay and grid.
      const double share = std::clamp(step.since_s[i], 0.0, 1.0);
      EXPECT_NEAR(step.power_w[i], model.power_w.front() + share * rise, 0.06 * rise);
    }
  }
}

TEST(ProfileFigures, EnergyCountersAreDrawnAsThePowerBetweenTheirTicks) {
  const ProfileFigures figures = figures_on("sim:h100");
  const SourceFigures& counter = figures_of_kind(figures, SourceKind::energy_counter);
  EXPECT_TRUE(counter.intervals);
  ASSERT_TRUE(counter.steps);
  for (const StepReadings& step : counter.steps->steps) {
    for (const double watts : step.power_w) EXPECT_LT(watts, 1000.0) << "watts, not joules";
  }
  EXPECT_FALSE(counter.losses.empty());
}

}  // namespace
}  // namespace truewatt::characterize
