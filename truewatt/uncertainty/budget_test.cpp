#include "truewatt/uncertainty/budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace truewatt::uncertainty {
namespace {

using testing::DoubleNear;

constexpr double kTiny = 1e-12;

Origin gpu(const char* sensor, int run = 0, const char* program = "p") {
  return {sensor, "H100", program, run};
}

Budget one(double value, Cause cause, double u, const Origin& origin) {
  Budget budget(value);
  budget.add(cause, u, origin);
  return budget;
}

/// u of a + b and of a - b, where each has u = 3 and 4 of `cause`.
struct Both {
  double sum;
  double difference;
};
Both of_two(Cause cause, const Origin& a, const Origin& b) {
  const std::array both = {one(10, cause, 3, a), one(10, cause, 4, b)};
  return {sum(both).standard_uncertainty(), difference(both[0], both[1]).standard_uncertainty()};
}

TEST(Cause, EveryOneHasARowThatIsFoundAgainByItsCodeAndType) {
  for (int i = 0; i <= static_cast<int>(Cause::last_); ++i) {
    const auto cause = static_cast<Cause>(i);
    EXPECT_FALSE(code_of(cause).empty()) << i;
    EXPECT_FALSE(row_of(cause).text.empty()) << code_of(cause);
    EXPECT_EQ(parse_cause(code_of(cause), type_of(cause)), cause) << code_of(cause);
  }
  EXPECT_EQ(parse_cause("lag", 'A'), Cause::lag);
  EXPECT_FALSE(parse_cause("weather", 'B'));
}

TEST(Budget, ErrorsOfARunAverageOut) {
  const Both both = of_two(Cause::unobserved, gpu("a", 1), gpu("a", 2));
  EXPECT_NEAR(both.sum, 5, kTiny);
  EXPECT_NEAR(both.difference, 5, kTiny);
}

TEST(Budget, ErrorsOfASourcesProfileAddUpAndCancel) {
  const Both same = of_two(Cause::lag, gpu("a", 1), gpu("a", 2));
  EXPECT_NEAR(same.sum, 7, kTiny);
  EXPECT_NEAR(same.difference, 1, kTiny);
  const Both other = of_two(Cause::lag, gpu("a"), gpu("b"));
  EXPECT_NEAR(other.sum, 5, kTiny);
  EXPECT_NEAR(other.difference, 5, kTiny);
}

TEST(Budget, GainsOfBoardsOfOneKindMayBeAlikeAndDoNotCancel) {
  const Both same = of_two(Cause::gain, gpu("a", 1), gpu("a", 2));
  EXPECT_NEAR(same.sum, 7, kTiny);
  EXPECT_NEAR(same.difference, 1, kTiny);
  const Both boards = of_two(Cause::gain, gpu("a"), gpu("b"));
  EXPECT_NEAR(boards.sum, 7, kTiny);
  EXPECT_NEAR(boards.difference, 5, kTiny);
  const Both kinds = of_two(Cause::gain, gpu("a"), {"cpu", "RAPL", "p", 0});
  EXPECT_NEAR(kinds.sum, 5, kTiny);
}

TEST(Budget, StepsOfReadingsNeitherAverageOutNorCancelOnOneSensor) {
  const Both same = of_two(Cause::quantum, gpu("a", 1), gpu("a", 2));
  EXPECT_NEAR(same.sum, 7, kTiny);
  EXPECT_NEAR(same.difference, 5, kTiny);
  EXPECT_NEAR(of_two(Cause::quantum, gpu("a"), gpu("b")).sum, 5, kTiny);
}

TEST(Budget, WhatALockHidesIsAlikeInRunsOfOneProgramOnly) {
  const Both same = of_two(Cause::phase_lock, gpu("a", 1), gpu("a", 2));
  EXPECT_NEAR(same.sum, 7, kTiny);
  EXPECT_NEAR(same.difference, 5, kTiny);
  EXPECT_NEAR(of_two(Cause::phase_lock, gpu("a", 1, "p"), gpu("a", 2, "q")).sum, 5, kTiny);
}

TEST(Budget, TermsAreByCauseAndTheirSquaresAddUpToTheWhole) {
  Budget budget(100);
  budget.add(Cause::unobserved, 3, gpu("a"));
  budget.add(Cause::lag, 4, gpu("a"));
  budget.add(Cause::gain, 12, gpu("a"));
  ASSERT_EQ(budget.terms().size(), 3U);
  EXPECT_NEAR(budget.standard_uncertainty(), 13, kTiny);
  EXPECT_NEAR(budget.scale_part(), 12, kTiny);
  EXPECT_NEAR(budget.precision(), 5, kTiny);
  EXPECT_NEAR(interval_of(budget).upper, 100 + 13 * kCoverageFactor95, kTiny);
}

// A sum holds an error that many of its parts share once, or sums of sums grow without bound.
TEST(Budget, ASumHoldsEachErrorOnce) {
  Budget common(10);
  for (int run = 0; run < 100; ++run) common.add(Cause::quantum, 0.1, gpu("a", run));
  std::vector<Budget> parts;
  double squares = 0.0;
  for (int run = 0; run < 50; ++run) {
    Budget part = difference(one(20, Cause::readings, 0.5, gpu("a", run)), common);
    part.add(Cause::gain, 0.2, gpu("a", run));
    parts.push_back(part);
    squares += 0.5 * 0.5;
  }
  const Budget whole = sum(parts);
  EXPECT_EQ(whole.components().size(), 100u + 50u + 1u);
  EXPECT_NEAR(whole.part(averages_out), std::sqrt(squares), kTiny);
  EXPECT_NEAR(whole.part(is_scale), 50 * 0.2, 1e-9);
  const double steps = whole.part([](Cause cause) { return cause == Cause::quantum; });
  EXPECT_NEAR(steps, 50 * common.standard_uncertainty(), 1e-9);
}

TEST(Budget, ARatioOnOneBoardHasNoGain) {
  Budget a(100);
  a.add(Cause::gain, 5, gpu("a", 1));
  a.add(Cause::unobserved, 1, gpu("a", 1));
  Budget b(300);
  b.add(Cause::gain, 15, gpu("a", 2));
  b.add(Cause::unobserved, 3, gpu("a", 2));
  const Budget three = ratio(a, b);
  EXPECT_NEAR(three.value(), 3, kTiny);
  EXPECT_NEAR(three.scale_part(), 0, kTiny);
  EXPECT_NEAR(three.standard_uncertainty(), 3 * 0.01 * std::sqrt(2), kTiny);
}

TEST(Budget, PartsOfAWholeSumToItWithItsUncertainty) {
  Budget whole(100);
  whole.add(Cause::gain, 5, gpu("a"));
  whole.add(Cause::ticks, 2, gpu("a"));
  const std::array parts = {whole.scaled(0.3), whole.scaled(0.7)};
  EXPECT_NEAR(sum(parts).value(), 100, kTiny);
  EXPECT_NEAR(sum(parts).standard_uncertainty(), whole.standard_uncertainty(), kTiny);
}

// ---- What later results are made of, beside a Monte Carlo of the same errors

double sd_of(const std::vector<double>& values) {
  double mean = 0.0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

/// Of so many draws a standard deviation is known to 1/sqrt(2 n) = 0.5 %; four of these.
constexpr int kDraws = 20000;
constexpr double kDrawn = 0.02;

// A kernel's share of a window: 30 % of 1000 J, of which the share itself is known to 2 J.
TEST(Budget, OfAKernelsEnergyIsThatOfItsShareOfTheWindow) {
  Budget window(1000);
  window.add(Cause::calibrated_gain, 8, gpu("a"));
  window.add(Cause::edges, 3, gpu("a", 1));
  Budget kernel = window.scaled(0.3);
  kernel.add(Cause::work, 2, gpu("a", 1));
  std::mt19937_64 rng(1);
  std::normal_distribution<double> normal;
  std::vector<double> drawn;
  for (int i = 0; i < kDraws; ++i) {
    drawn.push_back(0.3 * (1000 + 8 * normal(rng) + 3 * normal(rng)) + 2 * normal(rng));
  }
  EXPECT_NEAR(kernel.standard_uncertainty() / sd_of(drawn), 1, kDrawn);
}

// An access: 400 J of a load with 1e9 of them, less 250 J of one without. The gain stands on both
// sides, so 5 % of 400 and of 250 J leave 5 % of the difference; the offset cancels altogether.
TEST(Budget, OfAnAccesssEnergyIsThatOfTheDifferenceOfTwoLoads) {
  constexpr double kAccesses = 1e9;
  const auto load = [](double joules, int run) {
    Budget budget(joules);
    budget.add(Cause::calibrated_gain, 0.05 * joules, gpu("a", run));
    budget.add(Cause::calibrated_offset, 6, gpu("a", run));
    budget.add(Cause::unobserved, 2, gpu("a", run));
    return budget;
  };
  const Budget access = difference(load(400, 1), load(250, 2)).scaled(1 / kAccesses);
  std::mt19937_64 rng(2);
  std::normal_distribution<double> normal;
  std::vector<double> drawn;
  for (int i = 0; i < kDraws; ++i) {
    const double gain = 1 + 0.05 * normal(rng);
    const double offset = 6 * normal(rng);
    const double with = 400 * gain + offset + 2 * normal(rng);
    const double without = 250 * gain + offset + 2 * normal(rng);
    drawn.push_back((with - without) / kAccesses);
  }
  EXPECT_NEAR(access.value(), 150e-9, 1e-18);
  EXPECT_NEAR(access.standard_uncertainty() / sd_of(drawn), 1, kDrawn);
}

}  // namespace
}  // namespace truewatt::uncertainty
