#include "truewatt/memory/power_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "truewatt/testing/memory_board.hpp"

namespace truewatt::memory {
namespace {

using kernels::Data;
using kernels::MemoryOperation;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing_support::expect_near;
using AtTheLimit = testing_support::MemoryBoard;

TEST_F(AtTheLimit, StretchesOfALoweredClockAreLeftOutOrNamed) {
  const Table table = measured("[faults]\nthrottle = [[60, 30, 0.5], [100, 10, 0.3]]\n", quick());
  int valid = 0;
  for (const LevelRow& row : table.levels) {
    if (!row.valid) continue;
    ++valid;
    double joules = row.key.level == Level::shared ? 60e-12
                    : row.key.level == Level::l1   ? 150e-12
                    : row.key.level == Level::l2   ? 900e-12
                                                   : 3e-9;
    const bool store = row.key.operation == MemoryOperation::store;
    if (store && row.key.level == Level::l2) joules = 1.6e-9;
    if (store && row.key.level == Level::dram) joules = 3.6e-9;
    if (row.key.data == Data::zeros && row.key.level == Level::dram) joules *= 2.0 / 3;
    EXPECT_NEAR(row.sector_j->value, joules,
                std::max(1.5 * half_width_of(*row.sector_j), 0.03 * joules))
        << to_string(row.key.level);
  }
  EXPECT_GE(valid, 12);
}

/// Stores of 1.4 nJ at L2's rate draw 460 W on all multiprocessors, and the clock takes energy
/// down.
TEST_F(AtTheLimit, WhatMeetsTheBoardsLimitRunsOnFewerMultiprocessors) {
  const Table table = measured_as(
      "[power]\nsleep_w = 26\nidle_w = 37\nmax_w = 297\nnoise_w = 1\n"
      "[machine]\nsms = 127\nclock_hz = 2.3248e9\nclock_exponent = 1.87\n"
      "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
      "averaging_window_s = 0.1\nnoise_w = 0.1\n"
      "[memory]\nshared = 64e-12\nl1 = 108e-12\nl2 = 656e-12\ndram = 2.8e-9\n"
      "[memory_store]\nl2 = 1.42e-9\ndram = 4e-9\n"
      "[caches]\nl1_bytes = 249856\nl2_bytes = 115343360\n",
      quick());
  expect_near(find_row(table, {Level::l2, MemoryOperation::store, Data::random}), 1.42e-9);
  expect_near(find_row(table, {Level::dram, MemoryOperation::store, Data::random}), 4e-9);
}

/// 40 W are left for what all multiprocessors would draw 190 W for: an eighth of them still meets
/// the limit.
TEST_F(AtTheLimit, WhatMeetsTheBoardsLimitOnFewRunsOnFewerStill) {
  const Table table = measured_as(
      "[power]\nsleep_w = 40\nidle_w = 60\nmax_w = 130\nnoise_w = 0.5\n"
      "[machine]\nsms = 108\nclock_hz = 1.4e9\nspin_w = 30\nclock_exponent = 2\n"
      "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
      "averaging_window_s = 0.025\nnoise_w = 0.3\n"
      "[memory]\nshared = 80e-12\nl1 = 110e-12\nl2 = 500e-12\ndram = 2.2e-9\n"
      "[memory_store]\ndram = 9e-9\n",
      {.budget = Seconds(300), .sweep = false});
  for (const LevelRow& row : table.levels) {
    if (!row.valid) continue;
    const bool dram_store =
        row.key.level == Level::dram && row.key.operation == MemoryOperation::store;
    const double load = row.key.level == Level::shared ? 80e-12
                        : row.key.level == Level::l1   ? 110e-12
                        : row.key.level == Level::l2   ? 500e-12
                                                       : 2.2e-9;
    expect_near(&row, dram_store ? 9e-9 : load);
    // A clock that the limit lowered by a step already makes its energy less.
    ASSERT_TRUE(row.clock_hz);
    EXPECT_NEAR(*row.clock_hz, 1.4e9, 0.005 * 1.4e9);
  }
  EXPECT_TRUE(find_row(table, {Level::dram, MemoryOperation::store, Data::random})->valid);
}

/// One multiprocessor of two is the fewest.
TEST_F(AtTheLimit, AnEnergyOfNoOneClockIsNotValid) {
  const Table table = measured_as(
      "[power]\nidle_w = 60\nmax_w = 64\nnoise_w = 0.1\n"
      "[machine]\nsms = 2\nspin_w = 2\nclock_exponent = 2\n"
      "[[sensor]]\nsource = \"energy.counter\"\nupdate_period_s = 0.1\n"
      "[memory]\nshared = 4e-9\nl1 = 8e-9\nl2 = 20e-9\ndram = 90e-9\n",
      quick());
  const LevelRow* dram = find_row(table, {Level::dram, MemoryOperation::load, Data::random});
  ASSERT_NE(dram, nullptr);
  EXPECT_FALSE(dram->valid);
  EXPECT_THAT(dram->reasons, Contains(Reason::mixed_clocks));
}

/// Loads of 2 nJ from L1 and of 2.1 nJ from L2 both meet the limit, at the same rate.
TEST_F(AtTheLimit, RatesAtTheBoardsLimitTellNothingOfLevels) {
  std::string toml = board("");
  toml.replace(toml.find("l1 = 150e-12"), 12, "l1 = 2e-9");
  toml.replace(toml.find("l2 = 900e-12"), 12, "l2 = 2.1e-9");
  toml.replace(toml.find("l2 = 1.6e-9"), 11, "l2 = 2.1e-9");
  const Table table = measured_as(toml, quick(false));
  const LevelRow* l1 = find_row(table, {Level::l1, MemoryOperation::load, Data::random});
  ASSERT_NE(l1, nullptr);
  EXPECT_TRUE(l1->valid);
  expect_near(l1, 2e-9);
}

/// At the clock that the limit leaves, sectors cost less than the table says: products were
/// predicted 55 % too high, and chains of many threads were cheaper than L2's path.
TEST_F(AtTheLimit, ProductsAndChainsRunOnFewerMultiprocessorsOrAreLeftOut) {
  const std::string toml =
      "[power]\nsleep_w = 40\nidle_w = 60\nmax_w = 130\nnoise_w = 0.5\n"
      "[machine]\nsms = 108\nclock_hz = 1.4e9\nspin_w = 3\nclock_exponent = 2\n"
      "[[sensor]]\nsource = \"power.instant\"\nupdate_period_s = 0.1\n"
      "averaging_window_s = 0.025\nnoise_w = 0.3\n"
      "[memory]\nshared = 180e-12\nl1 = 210e-12\nl2 = 2e-9\ndram = 4e-9\n";
  const Table table = measured_as(toml, {.budget = Seconds(400), .products = true});
  ASSERT_EQ(table.products.size(), 4U);
  for (const PredictedProduct& one : table.products) {
    EXPECT_NEAR(one.predicted_j.value / one.measured_j.value, 1.0, 0.1) << one.size;
  }
  EXPECT_THAT(table.notes, Contains(HasSubstr("left out: a limit lowered the clock")));
  ASSERT_GT(table.sweep.size(), 20U);
  for (const SweepPoint& point : table.sweep) {
    if (point.level != Level::l2 || !point.sector_j) continue;
    EXPECT_GT(point.sector_j->upper, 2e-9) << point.parallel.threads;
  }
}

}  // namespace
}  // namespace truewatt::memory
