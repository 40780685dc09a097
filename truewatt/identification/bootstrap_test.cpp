#include "truewatt/identification/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "truewatt/identification/fit_uncertainty.hpp"
#include "truewatt/identification/observation_fit.hpp"
#include "truewatt/identification/random_work.hpp"

namespace truewatt::identification {
namespace {

constexpr double kPeriod = 0.02;
constexpr double kLength = 12.0;
constexpr double kNoise = 0.5;

/// Readings of a 10 ms boxcar; `shared` of a reading's error is that of the one before.
struct Example {
  explicit Example(double shared, unsigned seed = 5) {
    std::mt19937 schedule(5);
    std::mt19937 rng(seed);
    work = random_work(kLength, 0.004, 0.06, schedule);
    for (int i = 25; kPeriod * i < kLength; ++i) readings.push_back({kPeriod * i, 1e-5, 0.0});
    JointFit truth;
    truth.parameters = {std::log(0.010), 0.003, 0.0, 0.0, 0.0};
    truth.idle_w = 60.0;
    truth.amplitude_w = 250.0;
    const auto values = readings_of(truth, readings, work);
    std::normal_distribution<double> normal(0.0, kNoise * std::sqrt(1 - shared * shared));
    double error = 0.0;
    for (std::size_t k = 0; k < readings.size(); ++k) {
      error = shared * error + normal(rng);
      readings[k].value = values[k] + error;
    }
    fit = fit_from({readings, work}, {}, truth.parameters, kNoise, 20);
    add_covariance(fit, {readings, work});
  }
  double ratio(Parameter parameter, Resampling resampling) const {
    const auto replicates =
        bootstrap({readings, work}, fit, {.resampling = resampling, .replicates = 60});
    return spread_of(replicates, parameter) / std::sqrt(fit.covariance[parameter][parameter]);
  }
  std::vector<Work> work;
  std::vector<energy::Tick> readings;
  JointFit fit;
};

// The covariance is widened by 1.1; sixty replicates tell a spread to 9 %, the sandwich strays by
// about as much, so three standard deviations are 40 %.
TEST(Bootstrap, AgreesWithTheCovarianceOfIndependentErrors) {
  const Example example(0.0);
  for (const Resampling resampling : {Resampling::moved, Resampling::in_place}) {
    EXPECT_NEAR(example.ratio(kLogWindow, resampling), 1 / 1.1, 0.4);
    EXPECT_NEAR(example.ratio(kDelay, resampling), 1 / 1.1, 0.4);
  }
}

// Forty repetitions tell a spread to 11 %, sixty replicates to 9 %: three standard deviations of
// the ratio are 43 %, and blocks of 30 readings see all but a few percent of what neighbours share.
TEST(Bootstrap, OfBlocksKeepsWhatNeighboursShare) {
  std::vector<Parameters> repeated;
  for (unsigned seed = 100; seed < 140; ++seed) {
    repeated.push_back(Example(0.8, seed).fit.parameters);
  }
  const Example example(0.8);
  const auto replicates =
      bootstrap({example.readings, example.work}, example.fit, {.replicates = 60, .block = 30});
  const double ratio = spread_of(replicates, kLogWindow) / spread_of(repeated, kLogWindow);
  EXPECT_GT(ratio, 0.57);
  EXPECT_LT(ratio, 1.6);
}

TEST(Bootstrap, IsTheSameForASeed) {
  const Example example(0.0);
  const FitData data{example.readings, example.work};
  EXPECT_EQ(bootstrap(data, example.fit, {.replicates = 2}),
            bootstrap(data, example.fit, {.replicates = 2}));
}

TEST(Bootstrap, OfNothingIsNothing) { EXPECT_TRUE(bootstrap({}, JointFit{}).empty()); }

}  // namespace
}  // namespace truewatt::identification
