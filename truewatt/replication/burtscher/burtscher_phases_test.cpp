#include "truewatt/replication/burtscher/burtscher_phases.hpp"

#include <gtest/gtest.h>

#include "truewatt/replication/burtscher/burtscher_capacitor.hpp"
#include "truewatt/testing/kepler_readings.hpp"

namespace truewatt::replication::burtscher {
namespace {

void expect_phases(const Kepler& board, const Phases& phases, double tolerance) {
  ASSERT_TRUE(phases.t1 && phases.t2 && phases.t3 && phases.t4);
  EXPECT_NEAR(*phases.t1, board.load.begin, tolerance);
  EXPECT_NEAR(*phases.t2, board.load.end, tolerance);
  EXPECT_NEAR(*phases.t3, board.load.end + board.hold, tolerance);
  EXPECT_NEAR(*phases.t4, board.load.end + board.hold + 3 * board.stair, tolerance);
  EXPECT_EQ(phases.stairs.size(), 4U);
}

TEST(BurtscherPhases, AreThoseOfACleanProfile) {
  const Kepler board;
  const auto phases = find_phases(readings_of(board), board.constant, board.load);
  ASSERT_TRUE(phases);
  expect_phases(board, *phases, board.period);
  EXPECT_NEAR(phases->idle_w, 25.0, 1e-6);
  EXPECT_NEAR(phases->load_w, 158.0, 0.01);
  EXPECT_NEAR(*phases->active_idle_w, 52.5, 0.01);
  // Half an update off, a side of 0.45 s shows that much less of the step.
  for (const PowerStep& stair : phases->stairs) EXPECT_NEAR(stair.change_w, -27.5 / 4, 0.25);
  EXPECT_TRUE(phases->idle_is_steady);
}

TEST(BurtscherPhases, AreSeenThroughTheNoiseOfASlope) {
  // 0.1 W of noise are 4 W of the corrected power.
  Kepler board{.noise_w = 0.1, .fluctuation_w = 0.3};
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const auto phases = find_phases(readings_of(board, random), board.constant, board.load);
    ASSERT_TRUE(phases);
    // A stair of 6.9 W in a side's noise of 0.5 W: its time is known to 0.45 s 0.5/6.9 or so.
    expect_phases(board, *phases, 0.12);
    EXPECT_NEAR(*phases->active_idle_w, 52.5, 0.5);
  }
}

TEST(BurtscherPhases, WithoutActiveIdleItEndsWhenReadingsAreIdle) {
  Kepler board{.active_idle_w = 25.0};
  const auto phases = find_phases(readings_of(board), board.constant, board.load);
  ASSERT_TRUE(phases);
  EXPECT_FALSE(phases->t3);
  EXPECT_FALSE(phases->active_idle_w);
  ASSERT_TRUE(phases->t4);
  // 133 W fall to 1 % of that, 1.33 W, within C ln 100.
  EXPECT_NEAR(*phases->t4, board.load.end + 0.84 * std::log(100.0), 2 * board.period);
}

TEST(BurtscherPhases, ABoardThatStaysActiveIdleDoesNotReachIdle) {
  Kepler board{.hold = 60.0};
  const auto phases = find_phases(readings_of(board), board.constant, board.load);
  ASSERT_TRUE(phases);
  EXPECT_FALSE(phases->t3);
  EXPECT_FALSE(phases->t4);
  EXPECT_NEAR(phases->active_idle_w.value_or(0), 52.5, 0.01);
}

TEST(BurtscherPhases, ACaptureThatWasCutShortHasNoTail) {
  Kepler board{.length = 13.0};
  auto phases = find_phases(readings_of(board), board.constant, board.load);
  ASSERT_TRUE(phases);
  EXPECT_TRUE(phases->t1);
  EXPECT_FALSE(phases->t2);
  board.length = 9.0;
  EXPECT_FALSE(find_phases(readings_of(board), board.constant, board.load));
  EXPECT_FALSE(find_phases({}, 0.84, board.load));
}

TEST(BurtscherPhases, NothingWherePowerDoesNotRise) {
  Kepler board{.load_w = 25.0, .active_idle_w = 25.0, .noise_w = 0.1};
  EXPECT_FALSE(find_phases(readings_of(board), board.constant, board.load));
}

// Sections 4.1 and 6: what the readings hold from t1 to t2 is C (P(t2) - P(t1)) too little, and
// the corrected ones the runtime times the asymptotic power.
TEST(BurtscherEnergy, CorrectedEnergyIsRuntimeTimesPower) {
  const Kepler board;
  const auto readings = readings_of(board);
  const double runtime = board.load.end - board.load.begin;
  const double lacking = 0.84 * 133.0 * (1 - std::exp(-runtime / 0.84));
  // An update at either end is drawn as a straight line from a curve.
  EXPECT_NEAR(energy_of(readings, board.load.begin, board.load.end), runtime * 158.0 - lacking,
              0.1);
  const auto power = corrected(readings, board.constant);
  // The intervals in which the power crosses the threshold are left out: half an update each.
  EXPECT_NEAR(energy_above(power, 0, board.length, 57.0).joules, runtime * 158.0, 0.015 * 158.0);
}

}  // namespace
}  // namespace truewatt::replication::burtscher
