#include "truewatt/measure/phase_spread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace truewatt::measure {
namespace {

/// Widest gap between phases, as a share of the period.
double widest_gap(const std::vector<Seconds>& begins, Seconds period) {
  std::vector<double> phases;
  for (const Seconds begin : begins) phases.push_back(std::fmod(begin / period, 1.0));
  std::sort(phases.begin(), phases.end());
  double widest = phases.front() + 1 - phases.back();
  for (std::size_t i = 1; i < phases.size(); ++i) {
    widest = std::max(widest, phases[i] - phases[i - 1]);
  }
  return widest;
}

std::vector<Seconds> begins_after(Seconds group, Seconds pause, int count) {
  std::vector<Seconds> begins;
  for (int i = 0; i < count; ++i) begins.push_back(i * (group + pause));
  return begins;
}

TEST(PhaseSpread, BeginsFillEveryPeriodHoweverLongTheyLieApart) {
  // An H200's ring and its counter, and two that have no common measure.
  const std::vector<std::vector<Seconds>> all = {{Seconds(0.1)},
                                                 {Seconds(0.02), Seconds(0.1)},
                                                 {Seconds(0.015), Seconds(0.1), Seconds(0.031)}};
  for (const auto& periods : all) {
    PhaseSpread spread(periods);
    std::vector<Seconds> begins;
    Seconds later{0};
    for (int i = 0; i < 32; ++i) {
      begins.push_back(later + spread.next(later));
      // As trials of 1.4 s are that are in step with every period but the last.
      later += Seconds(4.8);
      if (i + 1 < 4) continue;
      for (const Seconds period : periods) {
        // Random ones would leave 0.52, 0.34 and 0.13 on the mean of 5, 9 and 32.
        EXPECT_LE(widest_gap(begins, period), 3.2 / (i + 1)) << period.count() << " " << i + 1;
      }
    }
  }
}

TEST(PhaseSpread, WaitsLessThanTheLongestPeriodAndAtFirstNotAtAll) {
  PhaseSpread spread({Seconds(0.02), Seconds(0.1)});
  EXPECT_EQ(spread.next(Seconds(0.0123)), Seconds(0));
  for (int i = 1; i < 20; ++i) {
    const Seconds wait = spread.next(Seconds(i));
    EXPECT_GE(wait, Seconds(0));
    EXPECT_LT(wait, Seconds(0.1));
  }
}

TEST(PhaseSpread, FollowsPeriodsThatTurnOutToBeOthers) {
  PhaseSpread spread({});
  EXPECT_THAT(spread.periods(), testing::ElementsAre(kUsualPeriod));
  std::vector<Seconds> begins = {spread.next(Seconds(0))};
  spread.set_periods({Seconds(0.02)});
  for (int i = 1; i < 4; ++i) begins.push_back(Seconds(i) + spread.next(Seconds(i)));
  EXPECT_NEAR(widest_gap(begins, Seconds(0.02)), 0.25, 0.01);
}

TEST(EvenPause, FillsSeveralPeriodsAtOnce) {
  const std::vector<Seconds> periods = {Seconds(0.1), Seconds(0.02)};
  double all = 0.0;
  int designs = 0;
  for (double execution = 0.0031; execution < 1; execution *= 1.37) {
    for (const int count : {2, 3, 5, 8, 13, 16, 32}) {
      const Seconds pause = shortest_even_pause(Seconds(execution), count, periods);
      EXPECT_GE(pause, Seconds(0));
      EXPECT_LT(pause, Seconds(0.1));
      const auto begins = begins_after(Seconds(execution), pause, count);
      for (const Seconds period : periods) {
        const double even = count <= 16 ? 1.75 : 2.7001;
        EXPECT_LE(widest_gap(begins, period), even / count) << execution << " " << count;
      }
      all += (count - 1) * pause.count() / 0.1;
      ++designs;
    }
  }
  EXPECT_LT(all / designs, 2.0) << "of the longest period are waited, on the mean";
}

TEST(Periods, AreThoseOfUsableSourcesOnce) {
  EXPECT_TRUE(periods_of(nullptr).empty());
  Profile profile;
  const auto add = [&profile](SourceKind kind, Scope scope, double period, SourceVerdict verdict) {
    SourceProfile source;
    source.source = {kind, scope};
    source.update_period_s = Interval{period, period, period, 0.95};
    source.verdict = verdict;
    profile.sources.push_back(source);
  };
  add(SourceKind::power_samples, Scope::gpu, 0.02, SourceVerdict::complete);
  add(SourceKind::power_instant, Scope::gpu, 0.1, SourceVerdict::part_time);
  add(SourceKind::energy_counter, Scope::gpu, 0.09999, SourceVerdict::complete);
  add(SourceKind::power_usage, Scope::module, 0.5, SourceVerdict::complete);
  add(SourceKind::power_average, Scope::gpu, 0.7, SourceVerdict::unusable);
  EXPECT_THAT(periods_of(&profile), testing::ElementsAre(Seconds(0.02), Seconds(0.1)));
}

TEST(Periods, AreShownByARecording) {
  Recording recording;
  Trace trace{.source = {SourceKind::power_usage, Scope::gpu}};
  for (int k = 0; k < 100; ++k) {
    const HostTime seen{std::chrono::milliseconds(20 * k)};
    trace.samples.push_back({seen - Nanoseconds(500000), seen, std::nullopt, 100.0 + k % 7});
  }
  trace.end = trace.samples.back().seen;
  recording.traces.push_back(trace);
  const auto periods = periods_of(recording);
  ASSERT_EQ(periods.size(), 1U);
  EXPECT_NEAR(periods.front().count(), 0.02, 1e-4);
}

}  // namespace
}  // namespace truewatt::measure
