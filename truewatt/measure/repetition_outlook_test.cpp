#include "truewatt/measure/repetition_outlook.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::measure {
namespace {

energy::Trial trial_of(double joules) {
  energy::Trial trial{.estimate = {.window = Seconds(1)}, .executions = 2};
  trial.estimate.energy = energy::EnergyInterval{interval95({2 * joules, 0.1}), 0.1, 0.0};
  trial.estimate.valid = true;
  trial.estimate.resolved = true;
  return trial;
}

TEST(RepetitionOutlook, WhatAllTrialsShareStays) {
  energy::EnergyEstimate mean;
  // Scatter 3 J, shared 4 J, and a gain that no repetition is expected to lessen.
  mean.energy = energy::EnergyInterval{interval95({1000, std::sqrt(25.0 + 400)}),
                                       std::sqrt(25.0 + 400), 20.0};
  mean.budget = {{uncertainty::Cause::scatter, 3},
                 {uncertainty::Cause::model, 4},
                 {uncertainty::Cause::gain, 20}};
  const Irreducible left = irreducible_of(mean);
  EXPECT_EQ(left.most, uncertainty::Cause::model);
  EXPECT_NEAR(left.half_width, kCoverageFactor95 * 0.004, 1e-9);
  EXPECT_TRUE(std::isinf(trials_for(mean, 5, 0.007)));
  // Nine times as many trials leave 1 J of scatter.
  const double target = kCoverageFactor95 * std::sqrt(1.0 + 16) / 1000;
  EXPECT_NEAR(trials_for(mean, 5, target), 45, 1e-6);
}

TEST(RepetitionOutlook, ADriftIsTold) {
  std::vector<energy::Trial> rising;
  std::vector<energy::Trial> steady;
  for (int i = 0; i < 8; ++i) {
    const double noise = i % 4 == 0 || i % 4 == 3 ? 0.05 : -0.05;
    rising.push_back(trial_of(100 + 0.3 * i + noise));
    steady.push_back(trial_of(100 + noise));
  }
  const auto note = drift_note(rising, 3);
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("grew by 2.1 %"), std::string::npos) << *note;
  EXPECT_NE(note->find("GPU 3"), std::string::npos) << *note;
  EXPECT_FALSE(drift_note(steady, 3));
  // A board that warms up: trials 9 s apart, 30 s of time constant.
  std::vector<energy::Trial> warming;
  for (int i = 0; i < 4; ++i) warming.push_back(trial_of(105 - 5 * std::exp(-0.3 * i)));
  EXPECT_TRUE(drift_note(warming, 3));
  warming.resize(3);
  EXPECT_FALSE(drift_note(warming, 3)) << "too few to tell";
}

TEST(RepetitionOutlook, TrialsThatAreLeftOutAreTold) {
  std::vector<energy::Trial> trials(5, trial_of(100));
  EXPECT_FALSE(left_out_note(trials, 0));
  trials[1].estimate.energy.reset();
  const auto note = left_out_note(trials, 0);
  ASSERT_TRUE(note);
  EXPECT_EQ(note->rfind("1 of 5 trials of GPU 0", 0), 0U) << *note;
}

}  // namespace
}  // namespace truewatt::measure
