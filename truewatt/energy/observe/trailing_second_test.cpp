#include "truewatt/energy/observe/trailing_second.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

/// Readings every 0.1 s for 20 s of what `shown` says, with noise of 0.3 W.
std::vector<ObservedReading> readings_of(const std::function<double(double)>& shown) {
  std::mt19937_64 rng(3);
  std::normal_distribution<double> noise(0.0, 0.3);
  std::vector<ObservedReading> readings;
  for (int i = 0; i < 200; ++i) {
    const double t = 0.1 * i + 0.037;
    readings.push_back({.time = t, .value = shown(t) + noise(rng)});
  }
  return readings;
}

/// Seconds of work before `t`, of what begins at 5 s and ends at `end`.
double worked(double t, double end) { return std::clamp(t - 5.0, 0.0, end - 5.0); }

std::function<double(double)> mean_of_last_second(double end) {
  return [end](double t) { return 60 + 290 * (worked(t, end) - worked(t - 1.0, end)); };
}

TEST(TrailingSecond, ShowsInStraightEdgesOfASecond) {
  for (const double length : {1.0, 1.6, 3.0, 7.0}) {
    EXPECT_TRUE(show_trailing_second(readings_of(mean_of_last_second(5 + length)), 0.1)) << length;
  }
}

// Of a driver that shows one reading under two names.
TEST(TrailingSecond, NoMeanOverItStepsAtOnce) {
  const auto at_once = [](double t) { return t > 5 && t < 8 ? 350.0 : 60.0; };
  EXPECT_TRUE(step_at_once(readings_of(at_once)));
  for (const double length : {0.2, 1.0, 3.0}) {
    EXPECT_FALSE(step_at_once(readings_of(mean_of_last_second(5 + length)))) << length;
  }
  EXPECT_FALSE(step_at_once(readings_of([](double) { return 60.0; })));
  EXPECT_FALSE(step_at_once({}));
}

TEST(TrailingSecond, ShowsInAShortLoadThatGoesASecondAfterItCame) {
  for (const double length : {0.4, 0.6, 0.8}) {
    EXPECT_TRUE(show_trailing_second(readings_of(mean_of_last_second(5 + length)), 0.1)) << length;
  }
}

TEST(TrailingSecond, IsNeitherAFilterNorASensorThatSeesAtOnceNorAProgramThatRamps) {
  const auto filtered = [](double t) {
    const double up = t > 5 ? 1 - std::exp(-(t - 5) / 0.4) : 0.0;
    const double down = t > 8 ? 1 - std::exp(-(t - 8) / 0.4) : 0.0;
    return 60 + 290 * (up - down);
  };
  const auto at_once = [](double t) { return t > 5 && t < 8 ? 350.0 : 60.0; };
  const auto ramp = [](double t) { return 60 + 290 * std::clamp((t - 5) / 3, 0.0, 1.0); };
  EXPECT_FALSE(show_trailing_second(readings_of(filtered), 0.1));
  EXPECT_FALSE(show_trailing_second(readings_of(at_once), 0.1));
  EXPECT_FALSE(show_trailing_second(readings_of(ramp), 0.1));
  EXPECT_FALSE(show_trailing_second(readings_of(mean_of_last_second(8)), 0.5)) << "too far apart";
}

TEST(TrailingSecond, IsNoLessSoWhereReadingsAreMissing) {
  std::vector<ObservedReading> readings = readings_of(mean_of_last_second(8));
  // Behind the hole it shows all of another step at once.
  for (ObservedReading& reading : readings) {
    if (reading.time > 14) reading.value = 350.0;
  }
  EXPECT_FALSE(show_trailing_second(readings, 0.1));
  std::erase_if(readings, [](const auto& one) { return one.time > 12 && one.time < 14; });
  EXPECT_TRUE(show_trailing_second(readings, 0.1));
}

/// Steps of 2.3 s, of which 1.3 s work.
double steps(double t) { return std::fmod(t + 230.0, 2.3) < 1.3 ? 250.0 : 60.0; }

TEST(TrailingSecond, IsToldByASourceThatSeesMore) {
  const auto mean = [](double t) {
    double sum = 0.0;
    for (int i = 0; i < 100; ++i) sum += steps(t - 0.01 * i) / 100;
    return sum;
  };
  const Trace fast = make_trace({SourceKind::power_instant, Scope::gpu}, 0.0, 20.0, 0.1, steps);
  const Trace slow = make_trace({SourceKind::power_usage, Scope::gpu}, 0.0, 20.0, 0.1, mean);
  EXPECT_TRUE(shows_last_second_of(slow, fast));
  EXPECT_FALSE(shows_last_second_of(fast, slow));
  EXPECT_FALSE(shows_last_second_of(fast, fast));
}

}  // namespace
}  // namespace truewatt::energy
