#include "truewatt/ticks/wide_brackets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt::ticks {
namespace {

constexpr double kCallPeriod = 0.028;  // s

/// Ticks of a grid that strays by 0.3 ms, polled every 0.4 ms.
std::vector<Tick> regular(int count) {
  std::mt19937 rng(5);
  std::normal_distribution<double> jitter(0.0, 0.3e-3);
  std::vector<Tick> ticks;
  for (int k = 0; k < count; ++k) {
    ticks.push_back({1.0 + kCallPeriod * k + jitter(rng), 0.4e-3 / std::sqrt(12.0), 100.0 + k});
  }
  return ticks;
}

/// Tick `k` as a poll shows it that waited from `before` s before it to `after` s after it.
void wait_for(std::vector<Tick>& ticks, std::size_t k, double before, double after) {
  ticks[k].time += (after - before) / 2;
  ticks[k].time_sd = (before + after) / std::sqrt(12.0);
}

TEST(WideBrackets, ATickStandsWhereItsGridHasIt) {
  const std::vector<Tick> truth = regular(60);
  std::vector<Tick> seen = truth;
  wait_for(seen, 20, 0.002, 0.022);
  wait_for(seen, 40, 0.024, 0.003);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), truth.size());
  for (const std::size_t k : {20, 40}) {
    EXPECT_NEAR(placed[k].time, truth[k].time, 1e-3) << k;
    EXPECT_LT(placed[k].time_sd, 1e-3) << k;
    EXPECT_GT(placed[k].time_sd, 0.2e-3) << k;
    EXPECT_EQ(placed[k].value, truth[k].value);
  }
  EXPECT_EQ(placed[10].time, truth[10].time);
  EXPECT_EQ(placed[10].time_sd, truth[10].time_sd);
}

// A tick in an edge's bracket of a quarter of the period: the reading on its slope would be that of
// any time.
TEST(WideBrackets, ABracketOfAnyWidthIsNoBetterThanTheGrid) {
  const std::vector<Tick> truth = regular(60);
  std::vector<Tick> seen = truth;
  wait_for(seen, 20, 0.0002, 0.007);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), truth.size());
  EXPECT_NEAR(placed[20].time, truth[20].time, 1e-3);
  EXPECT_LT(placed[20].time_sd, 1e-3);
}

// One that the grid does not explain stays where it was seen.
TEST(WideBrackets, ATickBesideTheGridStays) {
  std::vector<Tick> seen = regular(60);
  seen[20].time += 0.009;
  wait_for(seen, 20, 0.002, 0.002);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), seen.size());
  EXPECT_EQ(placed[20].time, seen[20].time);
  EXPECT_EQ(placed[20].time_sd, seen[20].time_sd);
}

TEST(WideBrackets, AtTheEndOfATraceTicksOfOneSideTell) {
  const std::vector<Tick> truth = regular(30);
  std::vector<Tick> seen = truth;
  wait_for(seen, 29, 0.004, 0.018);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), truth.size());
  EXPECT_NEAR(placed[29].time, truth[29].time, 1e-3);
}

TEST(WideBrackets, WhatMayBeOfSeveralTicksIsLeftOut) {
  std::vector<Tick> seen = regular(60);
  wait_for(seen, 20, 0.035, 0.005);    // tick 19 is within too
  wait_for(seen, 40, 0.0275, 0.0003);  // tick 39 may be
  seen.erase(seen.begin() + 39);
  seen.erase(seen.begin() + 19);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  EXPECT_EQ(placed.size(), seen.size() - 2);
  for (const Tick& tick : placed) EXPECT_LT(tick.time_sd, 1e-3);
}

// A tick that came before the first poll for it: the poll before that saw the one before.
TEST(WideBrackets, ATickThatWasSeenIsNotTheOneInTheBracketAfterIt) {
  const std::vector<Tick> truth = regular(60);
  std::vector<Tick> seen = truth;
  wait_for(seen, 40, 0.0275, 0.0003);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), truth.size());
  EXPECT_NEAR(placed[40].time, truth[40].time, 1e-3);
  EXPECT_LT(placed[40].time_sd, 1e-3);
}

TEST(WideBrackets, AGridThatMovedMeanwhileIsKnownNoBetterThanItMoved) {
  std::vector<Tick> seen = regular(60);
  for (std::size_t k = 21; k < seen.size(); ++k) seen[k].time += 0.004;
  wait_for(seen, 20, 0.008, 0.014);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), seen.size());
  EXPECT_GT(placed[20].time_sd, 1.5e-3);
}

TEST(WideBrackets, AFarNeighbourSaysNothing) {
  std::vector<Tick> seen = regular(60);
  // Nothing for eight periods on both sides of tick 20, but for one tick.
  seen.erase(seen.begin() + 22, seen.begin() + 30);
  seen.erase(seen.begin() + 12, seen.begin() + 20);
  wait_for(seen, 12, 0.004, 0.018);
  EXPECT_EQ(narrow_wide_brackets(seen, kCallPeriod).size(), seen.size() - 1);
}

TEST(WideBrackets, IsKnownNoBetterThanTheBracketsBesideIt) {
  std::vector<Tick> seen;
  for (int k = 0; k < 60; ++k) seen.push_back({1.0 + kCallPeriod * k, 1.2e-3, 100.0 + k});
  wait_for(seen, 20, 0.004, 0.018);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), seen.size());
  EXPECT_EQ(placed[20].time_sd, 1.2e-3);
}

TEST(WideBrackets, WhereMostAreWideNoneIs) {
  std::vector<Tick> seen = regular(60);
  for (std::size_t k = 0; k < seen.size(); k += 1) wait_for(seen, k, 0.005, 0.005);
  const auto placed = narrow_wide_brackets(seen, kCallPeriod);
  ASSERT_EQ(placed.size(), seen.size());
  for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_EQ(placed[k].time, seen[k].time);
}

}  // namespace
}  // namespace truewatt::ticks
