#include "truewatt/energy/aggregate/execution_mean.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::energy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Seconds kExecution{0.5};
constexpr double kIdleW = 100.0;
constexpr double kGainOfAll = 0.04;
constexpr double kOffsetOfAll = 6.0;  // W

/// A train of executions that take `net` J above idle each, with pauses, known to `random` J.
Trial trial_of(int executions, double net, double pause_s, double random) {
  const double seconds = executions * kExecution.count() + pause_s;
  EnergyEstimate e;
  e.device.uuid = "GPU-1";
  e.source = SourceId{SourceKind::energy_counter, Scope::gpu};
  e.method = Method::smoothing;
  e.window = Seconds(seconds);
  e.baseline = Watts(kIdleW);
  const auto interval = [](double value, double plain, double gain) {
    const double sd = std::hypot(plain, gain);
    return EnergyInterval{interval95({value, sd}), sd, gain};
  };
  const double gross = executions * net + kIdleW * seconds;
  const double gain = std::hypot(kGainOfAll * gross, kOffsetOfAll * seconds);
  e.energy = interval(gross, random, gain);
  e.net_energy = interval(executions * net, random, kGainOfAll * executions * net);
  e.budget = {{uncertainty::Cause::ticks, random}, {uncertainty::Cause::gain, gain}};
  e.naive_j = {{"power.instant", 0.8 * executions * net + kIdleW * seconds}};
  e.valid = e.resolved = true;
  return {.estimate = e, .executions = executions, .pause = Seconds(pause_s)};
}

double term(const EnergyEstimate& estimate, uncertainty::Cause wanted) {
  return uncertainty::part_of(estimate.budget,
                              [wanted](uncertainty::Cause cause) { return cause == wanted; });
}

TEST(ExecutionMean, OfOneTrialIsThatOfItsExecutions) {
  const Trial trial = trial_of(4, 80, 0.2, 2);
  const EnergyEstimate mean = mean_execution({trial}, kExecution, {});
  ASSERT_TRUE(mean.energy && mean.net_energy);
  EXPECT_NEAR(mean.energy->interval.value, 80 + 50, 1e-9);
  EXPECT_NEAR(mean.net_energy->interval.value, 80, 1e-9);
  EXPECT_NEAR(mean.mean_power->value(), 260, 1e-9);
  EXPECT_NEAR(term(mean, uncertainty::Cause::ticks), 0.5, 1e-9);
  EXPECT_NEAR(mean.energy->gain_uncertainty, std::hypot(kGainOfAll * 130, kOffsetOfAll * 0.5),
              1e-6);
  EXPECT_NEAR(mean.net_energy->gain_uncertainty, kGainOfAll * 80, 1e-6);
  EXPECT_NEAR(*half_width_without_gain(mean), 1.96 * 0.5 / 130, 1e-4);
  EXPECT_NEAR(mean.naive_j.at("power.instant"), 0.8 * 80 + 50, 1e-9);
  EXPECT_TRUE(mean.valid);
  EXPECT_TRUE(mean.resolved);
  EXPECT_THAT(mean.reasons, IsEmpty());
}

TEST(ExecutionMean, PausesTakeTheIdleThatFollowsWork) {
  Trial trial = trial_of(4, 80, 0.2, 2);
  trial.estimate.idle_after = Watts(kIdleW + 28);
  EXPECT_NEAR(*joules_of_one(trial), 80 + 50 - 28 * 0.2 / 4, 1e-9);
}

TEST(ExecutionMean, TrialsThatSawNothingHardlyCount) {
  std::vector<Trial> trials;
  for (int i = 0; i < 4; ++i) {
    trials.push_back(trial_of(4, 80 + 0.1 * i, 0, 2));
    trials.push_back(trial_of(4, 20, 0, 1000));
  }
  const EnergyEstimate mean = mean_execution(trials, kExecution, {});
  EXPECT_NEAR(mean.energy->interval.value, 130.15, 0.1);
  EXPECT_LT(*half_width_without_gain(mean), 0.01);
}

// Of a load in step with a source that looks part of the time, those that saw nothing of it look
// best known.
TEST(ExecutionMean, TrialsThatMayBeInStepCountAlike) {
  std::vector<Trial> trials;
  for (int i = 0; i < 4; ++i) {
    trials.push_back(trial_of(4, 80, 0, 50));
    trials.push_back(trial_of(4, 0, 0, 0.1));
  }
  EXPECT_LT(mean_execution(trials, kExecution, {}).energy->interval.value, 55);
  for (Trial& trial : trials) trial.estimate.reasons = {Reason::phase_lock_not_excluded};
  const EnergyEstimate mean = mean_execution(trials, kExecution, {});
  EXPECT_NEAR(mean.energy->interval.value, 40 + 50, 1e-9);
  EXPECT_GT(*half_width_without_gain(mean), 0.3);
}

TEST(ExecutionMean, TrialsThatHardlySawTheLoadKnowNoMoreTogetherThanOneOfThem) {
  // 1000 J of four executions, of 280 J.
  const std::vector<Trial> trials(8, trial_of(4, 20, 0, 1000));
  EXPECT_NEAR(term(mean_execution(trials, kExecution, {}), uncertainty::Cause::within_runs), 250,
              0.01);
}

TEST(ExecutionMean, WhatMayRoundAllTrialsAlikeStays) {
  std::vector<Trial> trials(6, trial_of(4, 80, 0, 0));
  for (Trial& trial : trials) trial.estimate.budget.push_back({uncertainty::Cause::quantum, 2});
  EXPECT_NEAR(term(mean_execution(trials, kExecution, {}), uncertainty::Cause::quantum), 0.5, 1e-9);
}

TEST(ExecutionMean, OfSeveralIsKnownAsTheirScatterAndWhatTheyShareSay) {
  std::vector<Trial> trials = {trial_of(4, 79, 0.2, 0.01), trial_of(4, 80, 0.2, 0.01),
                               trial_of(4, 81, 0.2, 0.01)};
  for (Trial& trial : trials) trial.estimate.budget.push_back({uncertainty::Cause::lag, 1.2});
  const EnergyEstimate mean = mean_execution(trials, kExecution, {});
  EXPECT_NEAR(mean.energy->interval.value, 130, 1e-9);
  // Student's t of two degrees of freedom: 4.302653.
  const double scatter = 4.302653 / kCoverageFactor95 / std::sqrt(3.0);
  EXPECT_NEAR(term(mean, uncertainty::Cause::scatter), scatter, 1e-3);
  EXPECT_NEAR(term(mean, uncertainty::Cause::lag), 0.3, 1e-9);
  EXPECT_EQ(term(mean, uncertainty::Cause::ticks), 0.0);
  const double plain =
      std::hypot(term(mean, uncertainty::Cause::scatter), term(mean, uncertainty::Cause::lag));
  EXPECT_NEAR(mean.energy->standard_uncertainty, std::hypot(plain, mean.energy->gain_uncertainty),
              1e-6);
  EXPECT_NEAR(mean.net_energy->standard_uncertainty, std::hypot(plain, kGainOfAll * 80), 1e-3);
  const EnergyEstimate ended =
      mean_execution(trials, kExecution, {.ended_by = uncertainty::EndedBy::target});
  EXPECT_NEAR(term(ended, uncertainty::Cause::scatter), 1.15 * scatter, 1e-3);
}

TEST(ExecutionMean, HoldsTheTruthAsOftenAsItSays) {
  constexpr int kMeans = 2000;
  std::mt19937 rng(3);
  std::normal_distribution<double> error(0.0, 1.0);
  int covered = 0;
  for (int i = 0; i < kMeans; ++i) {
    std::vector<Trial> trials;
    for (int k = 0; k < 5; ++k) {
      trials.push_back(trial_of(4, 80 + error(rng), 0.2, 0));
      // A board whose gain is known, to see the scatter alone.
      trials.back().estimate.energy->gain_uncertainty = 0;
      trials.back().estimate.net_energy->gain_uncertainty = 0;
    }
    const Interval interval = mean_execution(trials, kExecution, {}).energy->interval;
    covered += interval.lower <= 130 && 130 <= interval.upper ? 1 : 0;
  }
  EXPECT_NEAR(covered / static_cast<double>(kMeans), 0.95, 0.015);
}

TEST(ExecutionMean, LeavesOutTrialsWithoutAnEnergyOrWithReadingsMissing) {
  Trial none = trial_of(4, 80, 0.2, 1);
  none.estimate.energy.reset();
  Trial gap = trial_of(4, 120, 0.2, 1);
  gap.estimate.valid = false;
  gap.estimate.reasons = {Reason::gap_in_readings};
  Trial no_idle = trial_of(4, 120, 0.2, 1);
  no_idle.estimate.baseline.reset();
  std::vector<Trial> trials(10, trial_of(4, 80, 0.2, 1));
  trials.insert(trials.begin(), {none, gap, no_idle});
  const EnergyEstimate mean = mean_execution(trials, kExecution, {});
  EXPECT_NEAR(mean.energy->interval.value, 130, 1e-9);
  EXPECT_TRUE(mean.valid);
  EXPECT_THAT(mean.reasons, IsEmpty());
  // A third of them is no chance, nor is a device that is gone.
  trials.resize(9);
  const EnergyEstimate few = mean_execution(trials, kExecution, {});
  EXPECT_NEAR(few.energy->interval.value, 130, 1e-9);
  EXPECT_FALSE(few.valid);
  EXPECT_THAT(few.reasons, ElementsAre(Reason::gap_in_readings));
  std::vector<Trial> to_the_end(10, trial_of(4, 80, 0.2, 1));
  to_the_end.push_back(none);
  to_the_end.back().estimate.valid = false;
  to_the_end.back().estimate.reasons = {Reason::gpu_lost};
  EXPECT_FALSE(mean_execution(to_the_end, kExecution, {}).valid);
  EXPECT_THAT(mean_execution(to_the_end, kExecution, {}).reasons, ElementsAre(Reason::gpu_lost));
  const EnergyEstimate only = mean_execution({none, gap}, kExecution, {});
  EXPECT_FALSE(only.valid);
  EXPECT_THAT(only.reasons, ElementsAre(Reason::gap_in_readings));
  const EnergyEstimate nothing = mean_execution({none}, kExecution, {});
  EXPECT_FALSE(nothing.energy);
  EXPECT_FALSE(nothing.resolved);
}

TEST(ExecutionMean, WithoutAnEnergyTellsWhatOthersRead) {
  Trial none = trial_of(4, 80, 0.2, 2);
  none.estimate.energy.reset();
  none.estimate.net_energy.reset();
  none.truth = Joules(131);
  const EnergyEstimate mean = mean_execution({none, none}, kExecution, {});
  EXPECT_FALSE(mean.energy);
  EXPECT_NEAR(mean.naive_j.at("power.instant"), 0.8 * 80 + 50, 1e-9);
  EXPECT_NEAR(mean.truth.value().value(), 131, 1e-9);
  // Without a baseline nobody knows what of it was the pauses'.
  none.estimate.baseline.reset();
  EXPECT_THAT(mean_execution({none}, kExecution, {}).naive_j, IsEmpty());
}

TEST(ExecutionMean, IsResolvedByItsOwnWidthButNotWhereATrialIsInDoubt) {
  std::vector<Trial> trials;
  for (int i = 0; i < 5; ++i) {
    // Five of them are known to 2 %; --resolve asks for more of each.
    trials.push_back(trial_of(1, 80 + 0.01 * i, 0, 3));
    trials.back().estimate.resolved = false;
    trials.back().estimate.reasons = {Reason::uncertainty_above_target};
  }
  EXPECT_TRUE(mean_execution(trials, kExecution, {}).resolved);
  EXPECT_FALSE(mean_execution(trials, kExecution, {.resolve = 1e-6}).resolved);
  EXPECT_THAT(mean_execution(trials, kExecution, {.resolve = 1e-6}).reasons,
              ElementsAre(Reason::uncertainty_above_target));
  // In one of five it is chance, and that one is left out; in two it is not.
  trials[2].estimate.reasons = {Reason::model_misfit};
  EXPECT_EQ(usable_trials(trials).size(), 4U);
  EXPECT_TRUE(mean_execution(trials, kExecution, {}).resolved);
  trials[1].estimate.reasons = {Reason::phase_lock_not_excluded};
  EXPECT_EQ(usable_trials(trials).size(), 5U);
  const EnergyEstimate doubtful = mean_execution(trials, kExecution, {});
  EXPECT_FALSE(doubtful.resolved);
  EXPECT_THAT(doubtful.reasons, Contains(Reason::phase_lock_not_excluded));
}

TEST(ExecutionMean, TruthAndReadersAreThoseOfOneExecution) {
  std::vector<Trial> trials = {trial_of(4, 80, 0.2, 1), trial_of(2, 80, 0.1, 1)};
  for (Trial& trial : trials) {
    trial.truth = Joules(131);
    const double seconds = trial.estimate.window.count();
    trial.estimate.readers = {
        {Reader::sma, std::nullopt, Joules(60.0 * trial.executions + kIdleW * seconds),
         trial.estimate.window},
        {Reader::papi, std::nullopt, std::nullopt, trial.estimate.window},
        {Reader::mtsm, std::nullopt, Joules(90.0 * trial.executions),
         0.3 * trial.executions * Seconds(1)}};
  }
  const EnergyEstimate mean = mean_execution(trials, kExecution, {});
  EXPECT_EQ(mean.truth->value(), 131);
  ASSERT_EQ(mean.readers.size(), 3U);
  EXPECT_NEAR(mean.readers[0].energy->value(), 110, 1e-9);
  EXPECT_NEAR(mean.readers[0].over.count(), kExecution.count(), 1e-9);
  EXPECT_FALSE(mean.readers[1].energy);
  // Its polls know nothing of the pauses.
  EXPECT_NEAR(mean.readers[2].energy->value(), 90, 1e-9);
  EXPECT_NEAR(mean.readers[2].over.count(), 0.3, 1e-9);
  trials[1].truth.reset();
  EXPECT_FALSE(mean_execution(trials, kExecution, {}).truth);
}

}  // namespace
}  // namespace truewatt::energy
