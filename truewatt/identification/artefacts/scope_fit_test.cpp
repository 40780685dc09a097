#include "truewatt/identification/artefacts/scope_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace truewatt::identification {
namespace {

struct Truth {
  double idle = 100.0;
  double drift = 0.1;  // W/s
  double cpu = 0.0;
  double gpu = 300.0;
  double excess = 0.0;
};

/// Readings every 100 ms of idle, CPU work, GPU work and both, in turns of 0.6 to 1.1 s; the noise
/// is the mean over `shared` readings, as that of a source with a long window is.
std::vector<ScopeReading> readings_of(const Truth& truth, double noise_w, unsigned seed,
                                      std::size_t shared = 1) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  std::uniform_int_distribution<int> length(6, 11);
  std::vector<double> white(200);
  for (double& x : white) x = noise_w * normal(rng);
  std::vector<ScopeReading> readings;
  for (int condition = 0; condition < 12; ++condition) {
    for (int i = length(rng); i > 0; --i) {
      ScopeReading reading{.time = 0.1 * static_cast<double>(readings.size())};
      reading.by_cpu = condition % 4 == 1 || condition % 4 == 3 ? 1.0 : 0.0;
      reading.by_gpu = condition % 4 >= 2 ? 1.0 : 0.0;
      reading.by_both = condition % 4 == 3 ? 1.0 : 0.0;
      const auto first = white.begin() + static_cast<std::ptrdiff_t>(readings.size());
      const double error = std::accumulate(first, first + static_cast<std::ptrdiff_t>(shared), 0.0);
      reading.value = truth.idle + truth.drift * reading.time + truth.cpu * reading.by_cpu +
                      truth.gpu * reading.by_gpu + truth.excess * reading.by_both +
                      error / std::sqrt(static_cast<double>(shared));
      readings.push_back(reading);
    }
  }
  return readings;
}

bool holds(const Uncertain& x, double truth) {
  const Interval interval = interval95(x);
  return interval.lower <= truth && truth <= interval.upper;
}

TEST(ScopeFit, RecoversResponsesFromCleanReadings) {
  const auto fit = fit_scopes(readings_of({.cpu = 220, .excess = -30}, 0.0, 1));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->idle.value, 100, 1e-9);
  EXPECT_NEAR(fit->cpu.value, 220, 1e-9);
  EXPECT_NEAR(fit->gpu.value, 300, 1e-9);
  EXPECT_NEAR(fit->excess.value, -30, 1e-9);
}

/// Share of 400 intervals that hold the truth; 0.92 to 0.98 is 95 % within the scatter of 400
/// (standard deviation 1.1 %) and what Student's t of few groups leaves.
void expect_coverage(std::size_t shared) {
  int cpu = 0;
  int gpu = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    const auto fit = fit_scopes(readings_of({.cpu = 3}, 2.0, seed, shared));
    cpu += holds(fit.value().cpu, 3) ? 1 : 0;
    gpu += holds(fit.value().gpu, 300) ? 1 : 0;
  }
  EXPECT_GE(cpu, 0.92 * 400);
  EXPECT_LE(cpu, 0.985 * 400);
  EXPECT_GE(gpu, 0.92 * 400);
  EXPECT_LE(gpu, 0.985 * 400);
}

TEST(ScopeFit, ItsIntervalsCoverIndependentNoise) { expect_coverage(1); }

TEST(ScopeFit, ItsIntervalsCoverNoiseThatNeighboursShare) { expect_coverage(5); }

TEST(ScopeFit, NeedsReadingsOfEveryKindOfWork) {
  auto readings = readings_of({}, 1.0, 1);
  const auto few = fit_scopes(std::span(readings).first(15));
  ASSERT_FALSE(few);
  EXPECT_EQ(few.error().code, Errc::insufficient_data);
  for (ScopeReading& reading : readings) reading.by_cpu = reading.by_both = 0.0;
  const auto one_kind = fit_scopes(readings);
  ASSERT_FALSE(one_kind);
  EXPECT_EQ(one_kind.error().code, Errc::ill_conditioned);
}

std::vector<ticks::Tick> ticks_of(double phase, int every_differs) {
  std::vector<ticks::Tick> ticks;
  for (int i = 0; i < 100; ++i) {
    const bool differs = every_differs > 0 && i % every_differs == 0;
    ticks.push_back({.time = 0.1 * i + phase, .value = 100.0 + i + (differs ? 0.001 : 0.0)});
  }
  return ticks;
}

TEST(IdenticalShare, IsThatOfEqualValuesAtEqualTimes) {
  const auto ticks = ticks_of(0.0, 0);
  EXPECT_EQ(identical_share(ticks, ticks_of(0.0004, 0), Seconds(0.1)), 1.0);
  EXPECT_EQ(identical_share(ticks, ticks_of(0.0, 20), Seconds(0.1)), 0.95);
  EXPECT_EQ(identical_share(ticks, ticks_of(0.0, 2), Seconds(0.1)), 0.5);
  // The same values a tick later are another source's.
  EXPECT_EQ(identical_share(ticks, ticks_of(0.1, 0), Seconds(0.1)), 0.0);
}

TEST(IdenticalShare, SaysNothingOfSourcesThatHardlyChange) {
  const auto ticks = ticks_of(0.0, 0);
  EXPECT_FALSE(identical_share(ticks, std::span(ticks).first(10), Seconds(0.1)));
}

}  // namespace
}  // namespace truewatt::identification
