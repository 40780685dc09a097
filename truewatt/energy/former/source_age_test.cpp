#include "truewatt/energy/former/source_age.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/energy/former/published_behaviour.hpp"
#include "truewatt/testing/test_traces.hpp"

namespace truewatt::energy {
namespace {

constexpr SourceId kPowerUsage{SourceKind::power_usage, Scope::gpu};
const Window kLoad{at(2.0), at(5.0), "load"};

/// Published: every `period`, behind a filter of `lag`, both +-`share`.
Profile published_profile(double period, double lag, double share = 0.2) {
  SourceProfile source{.source = kPowerUsage};
  source.update_period_s = Interval{period, period * (1 - share), period * (1 + share), 0.95};
  source.time_constant_s = Interval{lag, lag * (1 - share), lag * (1 + share), 0.95};
  source.delay_s = Interval{0.004, 0.0, 0.026, 0.95};
  source.duty = 0.5;
  Profile profile;
  profile.sources = {source};
  return profile;
}

/// 100 W, 300 W within the window, then 90 W: what a filter of `lag` shows every `period`.
Recording filtered(double period, double lag) {
  const auto power = [lag](double t) {
    const auto risen = [&](double since) {
      return since <= 0 ? 0.0 : lag > 0 ? 1 - std::exp(-since / lag) : 1.0;
    };
    return 100 + 200 * risen(t - 2.0) - 210 * risen(t - 5.0);
  };
  Recording recording;
  recording.traces = {make_trace(kPowerUsage, 0.05, 12.0, period, power)};
  return recording;
}

/// Budget without what is due to the board's gain and offset.
double own_sd(const EnergyEstimate& estimate) {
  double squares = 0.0;
  for (const uncertainty::Term& term : estimate.budget) {
    if (!uncertainty::is_scale(term.cause)) squares += std::pow(term.u, 2);
  }
  return std::sqrt(squares);
}

bool has(const EnergyEstimate& estimate, Reason reason) {
  return std::find(estimate.reasons.begin(), estimate.reasons.end(), reason) !=
         estimate.reasons.end();
}

TEST(PublishedAge, IsDelayAndLagAndHalfTheWindowWithTheirIntervals) {
  SourceProfile source = published_profile(0.1, 0.05).sources[0];
  source.averaging_window_s = Interval{0.1, 0.02, 0.13, 0.95};
  const Interval age = published_age(source).value();
  EXPECT_DOUBLE_EQ(age.value, 0.004 + 0.05 + 0.05);
  EXPECT_NEAR(age.value - age.lower, std::sqrt(4e-3 * 4e-3 + 1e-2 * 1e-2 + 4e-2 * 4e-2), 1e-12);
  EXPECT_NEAR(age.upper - age.value, std::sqrt(22e-3 * 22e-3 + 1e-2 * 1e-2 + 15e-3 * 15e-3), 1e-12);
  source.update_period_s.reset();
  EXPECT_FALSE(published_age(source).has_value()) << "estimated sources";
}

TEST(PublishedPeriod, MultiplesAreEqualConsecutiveValuesAndWidePollsTellNothing) {
  const SourceProfile source = published_profile(0.1, 0.01, 0.05).sources[0];
  const std::vector<ticks::Tick> sharp(10, {.time_sd = 0.001});
  const auto near = [](double t) { return Interval{t, 0.99 * t, 1.01 * t, 0.95}; };
  EXPECT_EQ(period_agrees(source, near(0.101), sharp), true);
  EXPECT_EQ(period_agrees(source, near(0.3), sharp), true);
  EXPECT_EQ(period_agrees(source, near(0.02), sharp), false);
  EXPECT_EQ(period_agrees(source, near(0.15), sharp), false);
  const std::vector<ticks::Tick> polled_every_second(10, {.time_sd = 1.0 / std::sqrt(12.0)});
  EXPECT_FALSE(period_agrees(source, near(1.5), polled_every_second).has_value());
}

TEST(PublishedBehaviour, CentresTheAgeAndNeverNarrows) {
  for (const double lag : {0.0, 0.05, 0.2}) {
    for (const double published_lag : {0.5, 1.0, 1.8}) {
      const Recording recording = filtered(0.1, lag);
      const Profile published = published_profile(0.1, std::max(lag, 0.02) * published_lag, 0.6);
      const auto with = estimate_energy(recording, kLoad, {.published = &published});
      const auto without = estimate_energy(recording, kLoad);
      ASSERT_TRUE(with.energy && without.energy) << lag;
      EXPECT_GE(own_sd(with), own_sd(without) * (1 - 1e-12)) << lag << " " << published_lag;
      EXPECT_TRUE(has(with, Reason::from_catalogue)) << lag << " " << published_lag;
      EXPECT_EQ(with.resolved, without.resolved);
      EXPECT_EQ(with.observed_fraction, 0.5) << "as published";
      ASSERT_TRUE(with.profile);
      EXPECT_EQ(with.profile->provenance(), "catalogue");
      EXPECT_TRUE(with.profile->covers_source);
      EXPECT_EQ(with.profile->agrees, true);
      EXPECT_FALSE(without.profile.has_value());
    }
  }
}

TEST(PublishedBehaviour, TheRightLagLeavesLessErrorThanNone) {
  // Idle falls by 10 W over the window, so a lag of 0.2 s hides 2 J.
  const Recording recording = filtered(0.1, 0.2);
  const Profile published = published_profile(0.1, 0.196, 0.1);
  const double truth = 3 * 300.0;
  const auto with = estimate_energy(recording, kLoad, {.published = &published});
  const auto without = estimate_energy(recording, kLoad);
  EXPECT_LT(std::abs(with.energy->interval.value - truth),
            std::abs(without.energy->interval.value - truth));
}

TEST(PublishedBehaviour, TheRecordingWinsWhereItContradicts) {
  const struct {
    const char* what;
    double recorded_period, recorded_lag, published_period, published_lag;
  } cases[] = {{"another period", 0.02, 0.0, 0.1, 0.02},
               {"settles at once", 0.1, 0.0, 0.1, 0.84},
               {"shows the load a second late", 0.1, 1.0, 0.1, 0.013}};
  for (const auto& one : cases) {
    const Recording recording = filtered(one.recorded_period, one.recorded_lag);
    const Profile published = published_profile(one.published_period, one.published_lag, 0.1);
    const auto with = estimate_energy(recording, kLoad, {.published = &published});
    const auto without = estimate_energy(recording, kLoad);
    EXPECT_TRUE(has(with, Reason::catalogue_misfit)) << one.what;
    EXPECT_FALSE(has(with, Reason::from_catalogue)) << one.what;
    EXPECT_EQ(with.profile->agrees, false) << one.what;
    EXPECT_FALSE(with.observed_fraction.has_value()) << one.what;
    ASSERT_TRUE(with.energy && without.energy) << one.what;
    EXPECT_EQ(with.energy->interval.value, without.energy->interval.value) << one.what;
    EXPECT_EQ(with.energy->interval.lower, without.energy->interval.lower) << one.what;
  }
}

TEST(PublishedBehaviour, AnAverageOfASecondIsNoInstantReading) {
  const auto power = [](double t) {
    const auto share = [&](double since) { return std::clamp(since, 0.0, 1.0); };
    return 100 + 200 * (share(t - 2.0) - share(t - 5.0));
  };
  Recording recording;
  recording.traces = {make_trace(kPowerUsage, 0.05, 12.0, 0.1, power)};
  const Profile published = published_profile(0.1, 0.013);
  const auto estimate = estimate_energy(recording, kLoad, {.published = &published});
  EXPECT_TRUE(has(estimate, Reason::catalogue_misfit));
  EXPECT_FALSE(estimate.observed_fraction.has_value());
  // A board that rises for 0.3 s behind an instant reading is no misfit.
  const auto slow_board = [](double t) {
    return 100 + 200 * (t < 5.0 ? std::clamp((t - 2.0) / 0.375, 0.0, 1.0) : 0.0);
  };
  recording.traces = {make_trace(kPowerUsage, 0.05, 12.0, 0.1, slow_board)};
  EXPECT_TRUE(
      has(estimate_energy(recording, kLoad, {.published = &published}), Reason::from_catalogue));
}

TEST(PublishedBehaviour, ASourceThatIsPublishedToLookAllTheTimeStillHasToShowIt) {
  const Recording recording = filtered(0.1, 0.05);
  Profile published = published_profile(0.1, 0.05);
  published.sources[0].duty = 1.0;
  const auto estimate = estimate_energy(recording, kLoad, {.published = &published});
  EXPECT_FALSE(estimate.resolved);
  EXPECT_TRUE(has(estimate, Reason::phase_lock_not_excluded));
  EXPECT_FALSE(estimate.observed_fraction.has_value());
}

TEST(PublishedBehaviour, GivesWayToAProfileAndSaysNothingOfOtherSources) {
  Recording recording = filtered(0.1, 0.05);
  const Profile profile = published_profile(0.1, 0.05);
  const auto both = estimate_energy(recording, kLoad, {.profile = &profile, .published = &profile});
  EXPECT_EQ(both.profile->provenance(), "characterized");
  EXPECT_FALSE(has(both, Reason::from_catalogue));
  recording.traces[0].source = kInstant;
  const auto other = estimate_energy(recording, kLoad, {.published = &profile});
  EXPECT_FALSE(other.profile->covers_source);
  EXPECT_FALSE(has(other, Reason::from_catalogue));
}

TEST(PublishedBehaviour, ReservationsGoWithEveryEstimate) {
  const auto estimate =
      estimate_energy({}, kLoad, {.reservations = {Reason::other_driver, Reason::other_driver}});
  EXPECT_EQ(std::count(estimate.reasons.begin(), estimate.reasons.end(), Reason::other_driver), 1);
}

}  // namespace
}  // namespace truewatt::energy
