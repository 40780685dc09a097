#include "truewatt/memory/level_fit.hpp"

#include <gtest/gtest.h>

#include <random>

namespace truewatt::memory {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;

constexpr double kPico = 1e-12;
constexpr double kLoop = 40 * kPico;
constexpr double kLogic = 4 * kPico;
const std::vector<double> kSectors{100 * kPico, 800 * kPico, 2500 * kPico};

/// A run with so many sectors, of which `stray` go to the last level, and an error.
FitRun run_of(std::vector<double> sectors, double logic, double error = 0.0) {
  FitRun run{
      .kernel = "walk", .seconds = 1.0, .beside = {1e10, logic}, .sectors = std::move(sectors)};
  double joules = run.beside[0] * kLoop + run.beside[1] * kLogic;
  for (std::size_t i = 0; i < kSectors.size(); ++i) joules += run.sectors[i] * kSectors[i];
  run.joules = Budget(joules * (1 + error));
  run.joules.add(Cause::readings, 0.01 * joules);
  return run;
}

std::vector<FitRun> runs_with(double error) {
  std::vector<FitRun> runs;
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.0, 1.0);
  const auto add = [&](std::vector<double> sectors, double logic) {
    runs.push_back(run_of(std::move(sectors), logic, error * normal(random)));
  };
  for (const double n : {2.0, 4.0, 8.0, 16.0}) {
    add({n * 1e10, 0, 0}, 2 * n * 1e10);
    // Of what is aimed at L2, three in a hundred miss it: they are DRAM's.
    add({0, 0.97 * n * 1e9, 0.03 * n * 1e9}, 2 * n * 1e9);
    add({0, 0, n * 1e9}, 2 * n * 1e9);
    add({0, 0, 0}, 2 * n * 1e10);
  }
  return runs;
}

TEST(LevelFit, ChargesEverySectorToTheLevelThatServedIt) {
  const auto fit = fit_levels(runs_with(0.0));
  ASSERT_TRUE(fit) << fit.error().message;
  EXPECT_NEAR(fit->beside_j[0]->value(), kLoop, 1e-6 * kLoop);
  EXPECT_NEAR(fit->beside_j[1]->value(), kLogic, 1e-6 * kLogic);
  for (std::size_t i = 0; i < kSectors.size(); ++i) {
    ASSERT_TRUE(fit->sector_j[i]);
    EXPECT_NEAR(fit->sector_j[i]->value(), kSectors[i], 1e-6 * kSectors[i]);
  }
  EXPECT_NEAR(fit->r_squared, 1.0, 1e-9);
  EXPECT_EQ(fit->residuals.size(), 16U);
}

TEST(LevelFit, ErrorsOfRunsAreInTheIntervals) {
  const auto fit = fit_levels(runs_with(0.02));
  ASSERT_TRUE(fit);
  for (std::size_t i = 0; i < kSectors.size(); ++i) {
    const Interval interval = uncertainty::interval_of(*fit->sector_j[i]);
    EXPECT_LE(interval.lower, kSectors[i]) << i;
    EXPECT_GE(interval.upper, kSectors[i]) << i;
    EXPECT_GT(interval.upper - interval.lower, 0.01 * kSectors[i]) << i;
    EXPECT_LT(interval.upper - interval.lower, 0.2 * kSectors[i]) << i;
  }
  EXPECT_GT(fit->r_squared, 0.99);
  EXPECT_LT(fit->r_squared, 1.0);
}

TEST(LevelFit, ALevelThatNoRunAimsAtHasNoNumber) {
  std::vector<FitRun> runs = runs_with(0.0);
  std::erase_if(runs, [](const FitRun& run) { return run.sectors[2] > run.sectors[1]; });
  const auto fit = fit_levels(runs);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->sector_j[0]);
  EXPECT_FALSE(fit->sector_j[2]);
}

TEST(LevelFit, NothingCostsLessThanNothing) {
  std::vector<FitRun> runs = runs_with(0.0);
  for (FitRun& run : runs) {
    if (run.sectors[0] == 0) continue;
    run.joules = Budget(run.beside[0] * kLoop + 0.9 * run.beside[1] * kLogic);
    run.joules.add(Cause::readings, 0.01 * run.joules.value());
  }
  const auto fit = fit_levels(runs);
  ASSERT_TRUE(fit);
  EXPECT_TRUE(fit->not_positive[0]);
  EXPECT_FALSE(fit->sector_j[0]);
  EXPECT_FALSE(fit->not_positive[2]);
  EXPECT_NEAR(fit->sector_j[2]->value(), kSectors[2], 0.05 * kSectors[2]);
}

TEST(LevelFit, TooFewRunsAreNamed) {
  const auto all = runs_with(0.0);
  const auto fit = fit_levels(std::span(all).first(3));
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().code, Errc::insufficient_data);
}

}  // namespace
}  // namespace truewatt::memory
