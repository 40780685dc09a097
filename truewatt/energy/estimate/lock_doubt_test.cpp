#include "truewatt/energy/estimate/lock_doubt.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace truewatt::energy {
namespace {

ObservedSource looking(double window, double time_constant) {
  ObservedSource source;
  source.look = window > 0 ? Look::average : Look::point;
  source.period = 0.1;
  source.window = window;
  source.time_constant = time_constant;
  source.is_characterized = true;
  return source;
}

ObservedBoard board_of(std::vector<ObservedSource> sources) {
  ObservedBoard board;
  board.lowest_w = 40.0;
  board.power_limit_w = 250.0;
  board.sources = std::move(sources);
  return board;
}

TEST(PowerInStep, OfAQuarterThatIsSeenTheRestMayBeAnything) {
  // A quarter of the time shows an eighth of the range up to twice the limit; the rest is not seen.
  const EnergyBounds watts = power_in_step(board_of({looking(0.025, 0.0)}), {100.0, 0.0}, false);
  EXPECT_NEAR(watts.lower, 40.0 + 60.0 / 4, 1e-6);
  EXPECT_EQ(watts.upper, 250.0) << "on average the limit";
  const EnergyBounds most = power_in_step(board_of({looking(0.08, 0.0)}), {100.0, 0.0}, false);
  EXPECT_NEAR(most.upper.value(), 40.0 + 0.2 * 460.0 + 0.8 * 60.0, 1e-6);
}

TEST(PowerInStep, APeakAboveTheLimitIsNoMean) {
  const EnergyBounds watts = power_in_step(board_of({looking(0.025, 0.0)}), {300.0, 5.0}, false);
  EXPECT_LT(watts.lower, 150.0);
  EXPECT_NEAR(watts.upper.value(), 300.0 + kCoverageFactor95 * 5.0, 1e-9);
}

TEST(PowerInStep, WhatStaysHighMayNeverHaveShownIdle) {
  ObservedBoard board = board_of({looking(0.025, 0.0)});
  board.lowest_w = 99.0;
  EXPECT_NEAR(power_in_step(board, {100.0, 0.0}, false).lower, 25.0, 1e-6);
}

TEST(PowerInStep, StaysWithinWhatABoardDraws) {
  const EnergyBounds watts = power_in_step(board_of({looking(0.025, 0.0)}), {101.0, 300.0}, false);
  EXPECT_EQ(watts.lower, 40.0);
  EXPECT_GE(watts.upper.value(), 250.0);
}

TEST(PowerInStep, OfALookWithoutGapsNothingIsHidden) {
  const EnergyBounds watts = power_in_step(board_of({looking(0.1, 0.0)}), {100.0, 0.0}, false);
  EXPECT_NEAR(watts.lower, 100.0, 1e-6);
  EXPECT_NEAR(watts.upper.value(), 100.0, 1e-6);
}

TEST(PowerInStep, WholePeriodsOfAWindowWeighAllPhasesAlike) {
  // Four fifths of it weigh all phases, one fifth a quarter of them.
  const EnergyBounds watts = power_in_step(board_of({looking(0.125, 0.0)}), {100.0, 0.0}, false);
  const double shown = 60.0 / 460.0;
  EXPECT_NEAR(watts.lower, 40.0 + 460.0 * shown / (0.8 + 0.2 * 4), 1e-6);
  EXPECT_NEAR(watts.upper.value(), 40.0 + 460.0 * shown / 0.8, 1e-6);
}

TEST(PowerInStep, BehindASlowFilterLittleIs) {
  const EnergyBounds fast = power_in_step(board_of({looking(0.0, 0.05)}), {100.0, 0.0}, false);
  const EnergyBounds slow = power_in_step(board_of({looking(0.0, 1.0)}), {100.0, 0.0}, false);
  EXPECT_LT(fast.lower, slow.lower);
  EXPECT_GT(fast.upper, slow.upper);
  // Weights go by 5 % around the mean: so does the power that shows as much.
  EXPECT_NEAR(slow.upper.value(), 100.0, 460.0 * 0.05);
  EXPECT_NEAR(slow.lower, 100.0, 460.0 * 0.05);
}

TEST(PowerInStep, OfOneThatNobodyCharacterizedNothingIsKnown) {
  ObservedSource source = looking(0.1, 0.0);
  source.is_characterized = false;
  const EnergyBounds watts = power_in_step(board_of({source}), {100.0, 0.0}, false);
  EXPECT_EQ(watts.lower, 40.0);
  EXPECT_EQ(watts.upper, 250.0);
}

TEST(PowerInStep, WithoutALimitThereIsNoMost) {
  ObservedBoard board = board_of({looking(0.025, 0.0)});
  board.power_limit_w.reset();
  const EnergyBounds watts = power_in_step(board, {100.0, 0.0}, false);
  EXPECT_FALSE(watts.upper);
  EXPECT_NEAR(watts.lower, 40.0 + 60.0 / 4, 1e-6);
}

TEST(PowerInStep, TheSourceThatSeesMostDecides) {
  const EnergyBounds watts =
      power_in_step(board_of({looking(0.025, 0.0), looking(0.09, 0.0)}), {100.0, 0.0}, false);
  const EnergyBounds alone = power_in_step(board_of({looking(0.09, 0.0)}), {100.0, 0.0}, false);
  EXPECT_EQ(watts.lower, alone.lower);
  EXPECT_EQ(watts.upper, alone.upper);
}

TEST(PowerInStep, ACounterThatIsInDoubtBoundsNothing) {
  ObservedSource counter = looking(0.0, 0.0);
  counter.look = Look::counter;
  const ObservedBoard board = board_of({counter, looking(0.025, 0.0)});
  EXPECT_NEAR(power_in_step(board, {100.0, 0.0}, false).upper.value(), 100.0, 1e-6);
  EXPECT_EQ(power_in_step(board, {100.0, 0.0}, true).upper, 250.0);
}

/// A board that only a counter looks at, which adds up a sample each millisecond.
ObservedBoard counted_by_samples(double time_constant, const std::vector<double>& watts) {
  ObservedSource counter = looking(0.0, time_constant);
  counter.look = Look::counter;
  counter.period = 0.02;
  counter.integrates = true;
  counter.sampled_every = 1e-3;
  for (std::size_t i = 0; i < watts.size(); ++i) {
    counter.readings.push_back({.time = 0.02 * static_cast<double>(i),
                                .value = i > 0 ? 0.02 * watts[i] : 0.0,
                                .is_first = i == 0});
  }
  return board_of({counter});
}

TEST(HiddenShare, OfASteadyLoadACounterThatAddsUpSamplesShowsAnything) {
  const std::vector<double> steady(251, 100.0);
  EXPECT_GT(hidden_share(counted_by_samples(0.0, steady), {0.0, 5.0}, 100.0), 0.5);
  EXPECT_GT(hidden_share(counted_by_samples(0.0, steady), {1.0, 1.05}, 100.0), 0.5);
  EXPECT_LT(hidden_share(counted_by_samples(0.013, steady), {0.0, 5.0}, 100.0), 0.02);
}

TEST(HiddenShare, NorOfOneThatRepeats) {
  std::vector<double> pulses;
  for (int i = 0; i <= 250; ++i) pulses.push_back(i % 5 < 2 ? 160.0 : 60.0);
  EXPECT_GT(hidden_share(counted_by_samples(0.0, pulses), {0.0, 5.0}, 100.0), 0.5);
}

TEST(HiddenShare, WorkThatIsAnotherOneEachTimeIsInStepWithNothing) {
  std::mt19937_64 rng(1);
  std::bernoulli_distribution runs(0.4);
  std::vector<double> random;
  for (int i = 0; i <= 250; ++i) random.push_back(runs(rng) ? 160.0 : 60.0);
  EXPECT_EQ(hidden_share(counted_by_samples(0.0, random), {0.0, 5.0}, 100.0), 0.0);
}

TEST(PowerInStep, ACounterThatAddsUpSamplesBoundsWhatItsFilterKeeps) {
  const std::vector<double> steady(10, 100.0);
  EXPECT_EQ(power_in_step(counted_by_samples(0.0, steady), {100.0, 0.0}, false).upper, 250.0);
  EXPECT_NEAR(*power_in_step(counted_by_samples(0.013, steady), {100.0, 0.0}, false).upper, 100.0,
              460.0 * 0.05);
}

/// Readings that stand still, 10 s of them.
ObservedSource showing(double watts, ObservedSource source) {
  source.gain_sd = 0.05;
  source.offset_sd = 5.0;
  source.scatter = source.scatter_at_rest = 0.3;
  for (int i = 1; i <= 100; ++i) source.readings.push_back({0.1 * i, 0.0, watts});
  return source;
}

// Of 25 in 100 ms and of all of a second: work in step with the first, or two gains.
TEST(ExplainedByGains, IsWhatACompleteSourceShowsOtherwise) {
  const ObservedSource part = looking(0.025, 0.0);
  const ObservedSource all = looking(1.0, 0.0);
  double joules = 0.0;
  const auto explained = [&joules](std::vector<ObservedSource> sources) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
      sources[i].source = {i == 0 ? SourceKind::power_instant : SourceKind::power_average,
                           Scope::gpu};
    }
    ObservedBoard board = board_of(std::move(sources));
    board.highest_w = 330.0;
    board.limit_w = 495.0;
    const EnergyCourse course(std::move(board), {});
    joules = course.energy({2.0, 8.0}).joules;
    return explained_by_gains(course, {2.0, 8.0}, joules);
  };
  const double apart = explained({showing(330.0, part), showing(300.0, all)});
  const double shown = joules - 300.0 * 6.0;
  EXPECT_GT(shown, 25.0 * 6.0) << "the scale's readings decide";
  EXPECT_GT(apart, shown - 1.0);
  EXPECT_LT(apart, 1.2 * shown);
  EXPECT_NEAR(explained({showing(330.0, part), showing(330.0, all)}), 0.0, 5.0);
  EXPECT_EQ(explained({showing(330.0, all), showing(300.0, part)}), 0.0) << "the scale sees all";
  ObservedSource unknown = showing(300.0, all);
  unknown.is_characterized = false;
  EXPECT_EQ(explained({showing(330.0, part), unknown}), 0.0) << "nobody knows what it sees";
}

/// Pulses of 50 ms every 0.1 s from 1 s on, and looks of 10 ms every 0.1 s that end `phase` after
/// each begins, at an age known to `age_sd`; nothing of them may be in step with what runs.
bool is_informed(double phase, double age_sd) {
  CourseHints hints;
  Recording recording;
  for (int i = 0; i < 30; ++i) {
    const double begin = 1.0 + 0.1 * i;
    hints.work.push_back({begin, begin + 0.05, 0});
    const auto at = [](double t) { return HostTime(to_nanoseconds(Seconds(t))); };
    recording.activity.push_back({at(begin), at(begin + 0.05), {}});
  }
  ObservedSource source = looking(0.01, 0.0);
  source.age_sd = age_sd;
  for (int i = 0; i < 50; ++i) source.readings.push_back({.time = 0.1 * i + phase, .value = 50.0});
  const LockDoubt locks(recording, hints, std::nullopt);
  const Window window{recording.activity.front().begin, recording.activity.back().end, "load"};
  return locks.is_informed(board_of({source}), window);
}

TEST(LockDoubt, OfKnownWorkThatNoLookLiesInNothingIsKnown) {
  EXPECT_TRUE(is_informed(0.03, 1e-4));
  EXPECT_FALSE(is_informed(0.08, 1e-4)) << "all in the pauses";
  EXPECT_FALSE(is_informed(0.057, 1e-4)) << "three tenths of each before the end";
}

TEST(LockDoubt, OfKnownWorkThatLooksMayLieBesideNothingIsKnown) {
  EXPECT_FALSE(is_informed(0.03, 0.02)) << "the age is open by 40 ms";
}

}  // namespace
}  // namespace truewatt::energy
