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

// Where most readings move, their steps are no scatter: only the steepest of a filter's would be
// looked at, which lie on a line.
TEST(TrailingSecond, IsNoSlowFilterThatMostReadingsShow) {
  std::mt19937_64 rng(11);
  std::normal_distribution<double> noise(0.0, 0.8);
  for (int run = 0; run < 60; ++run) {
    std::vector<ObservedReading> readings;
    for (double t = -2.2 + run / 600.0; t < 5.3; t += 0.1) {
      const double up = t > 0 ? 1 - std::exp(-t / 0.92) : 0.0;
      const double down = t > 4 ? 1 - std::exp(-(t - 4) / 0.92) : 0.0;
      readings.push_back({.time = t, .value = 56 + 360 * (up - down) + noise(rng)});
    }
    EXPECT_FALSE(show_trailing_second(readings, 0.1)) << run;
  }
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

double mean_of_last_second_of(double (*power)(double), double t) {
  double sum = 0.0;
  for (int i = 0; i < 100; ++i) sum += power(t - 0.01 * i) / 100;
  return sum;
}

TEST(TrailingSecond, IsToldByASourceThatSeesMore) {
  const Trace fast = make_trace({SourceKind::power_instant, Scope::gpu}, 0.0, 20.0, 0.1, steps);
  const auto mean = [](double t) { return mean_of_last_second_of(steps, t); };
  const Trace slow = make_trace({SourceKind::power_usage, Scope::gpu}, 0.0, 20.0, 0.1, mean);
  EXPECT_TRUE(shows_last_second_of(slow, fast));
  EXPECT_FALSE(shows_last_second_of(fast, slow));
  EXPECT_FALSE(shows_last_second_of(fast, fast));
}

/// Plateaus of 4.1 and 3.2 s.
double plateaus(double t) { return std::fmod(t + 730.0, 7.3) < 4.1 ? 250.0 : 60.0; }

// Of a step that lies anywhere between two rows a second apart, the mean of both is off by 0.29 of
// it, what the later one shows by 0.58; of two seconds, with what a line makes of the last one, by
// 0.32 and 0.41.
TEST(TrailingSecond, IsToldFromAMomentByRowsASecondApart) {
  const SourceId usage{SourceKind::power_usage, Scope::gpu};
  const SourceId instant{SourceKind::power_instant, Scope::gpu};
  const auto mean_of = [](double t) { return mean_of_last_second_of(plateaus, t); };
  const auto a_moment_before = [](double t) { return plateaus(t - 0.1); };
  for (const double apart : {0.5, 1.0, 2.0}) {
    const Trace fast = make_trace(instant, 0.0, 240.0, apart, plateaus);
    const Trace mean = make_trace(usage, 0.0, 240.0, apart, mean_of);
    const Trace moment = make_trace(usage, 0.0, 240.0, apart, a_moment_before);
    EXPECT_TRUE(is_nearer_to_last_second_of(mean, fast)) << apart;
    EXPECT_FALSE(is_nearer_to_last_second_of(moment, fast)) << apart;
    EXPECT_FALSE(is_nearer_to_last_second_of(fast, fast)) << apart;
  }
}

}  // namespace
}  // namespace truewatt::energy
