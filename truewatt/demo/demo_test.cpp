#include "truewatt/demo/demo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace truewatt::demo {
namespace {

TEST(Demo, ShowsThatOneProgramReadsDifferentlyEachTime) {
  const auto experiments = run_demo("sim:a100", 1);
  ASSERT_TRUE(experiments) << experiments.error().message;
  const auto& executions = experiments->front().measurement.run.devices;
  ASSERT_EQ(executions.size(), 4U);
  double least = 1e9;
  double most = 0.0;
  for (const energy::EnergyEstimate& execution : executions) {
    least = std::min(least, execution.naive_j.at("power.instant"));
    most = std::max(most, execution.naive_j.at("power.instant"));
    ASSERT_TRUE(execution.energy);
    EXPECT_LE(execution.energy->interval.lower, execution.truth->value());
    EXPECT_GE(execution.energy->interval.upper, execution.truth->value());
  }
  EXPECT_GT(most / least, 1.3);
  // The last two are on one device as it was characterized, and the last one calibrated, too.
  const auto share = [](const energy::EnergyEstimate& one) {
    return half_width_of(one.energy->interval) / one.truth->value();
  };
  const auto& uncalibrated = experiments->at(experiments->size() - 2).measurement.run.devices.at(0);
  const auto& calibrated = experiments->back().measurement.run.devices.at(0);
  EXPECT_LT(share(calibrated), share(uncalibrated) / 5);
  EXPECT_LE(calibrated.energy->interval.lower, calibrated.truth->value());
  EXPECT_GE(calibrated.energy->interval.upper, calibrated.truth->value());
  const measure::Measurement& characterized = experiments->back().measurement;
  EXPECT_TRUE(characterized.run.devices.at(0).resolved);
  const measure::EstimateFigures& figures = characterized.figures.at(0);
  ASSERT_TRUE(figures.powers.at(0));
  ASSERT_FALSE(figures.phases.empty());
  EXPECT_NEAR(figures.phases.front().ran, 0.1, 0.01);
  EXPECT_GT(std::abs(figures.phases.front().seen - 0.1), 0.03);
}

}  // namespace
}  // namespace truewatt::demo
