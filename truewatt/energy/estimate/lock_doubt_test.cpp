#include "truewatt/energy/estimate/lock_doubt.hpp"

#include <gtest/gtest.h>

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
  board.lowest_w = 50.0;
  board.power_limit_w = 250.0;
  board.sources = std::move(sources);
  return board;
}

TEST(PowerInStep, OfAQuarterThatIsSeenTheRestMayBeAnything) {
  // A quarter of the time shows a quarter of the range: a sixteenth of all time at the limit is
  // seen, and three quarters more are not.
  const EnergyBounds watts = power_in_step(board_of({looking(0.025, 0.0)}), 100.0, false);
  EXPECT_NEAR(watts.lower, 50.0 + 200.0 / 16, 1e-6);
  EXPECT_NEAR(watts.upper.value(), 50.0 + 200.0 * (0.75 + 1.0 / 16), 1e-6);
}

TEST(PowerInStep, OfALookWithoutGapsNothingIsHidden) {
  const EnergyBounds watts = power_in_step(board_of({looking(0.1, 0.0)}), 100.0, false);
  EXPECT_NEAR(watts.lower, 100.0, 1e-6);
  EXPECT_NEAR(watts.upper.value(), 100.0, 1e-6);
}

TEST(PowerInStep, BehindASlowFilterLittleIs) {
  const EnergyBounds fast = power_in_step(board_of({looking(0.0, 0.05)}), 100.0, false);
  const EnergyBounds slow = power_in_step(board_of({looking(0.0, 1.0)}), 100.0, false);
  EXPECT_LT(fast.lower, slow.lower);
  EXPECT_GT(fast.upper, slow.upper);
  // Weights go by 5 % around the mean: so does the power that shows as much.
  EXPECT_NEAR(slow.upper.value(), 100.0, 200.0 * 0.05);
  EXPECT_NEAR(slow.lower, 100.0, 200.0 * 0.05);
}

TEST(PowerInStep, OfOneThatNobodyCharacterizedNothingIsKnown) {
  ObservedSource source = looking(0.1, 0.0);
  source.is_characterized = false;
  const EnergyBounds watts = power_in_step(board_of({source}), 100.0, false);
  EXPECT_EQ(watts.lower, 50.0);
  EXPECT_EQ(watts.upper.value(), 250.0);
}

TEST(PowerInStep, WithoutALimitThereIsNoMost) {
  ObservedBoard board = board_of({looking(0.025, 0.0)});
  board.power_limit_w.reset();
  const EnergyBounds watts = power_in_step(board, 100.0, false);
  EXPECT_FALSE(watts.upper);
  EXPECT_NEAR(watts.lower, 50.0 + 50.0 / 4, 1e-6);
}

TEST(PowerInStep, TheSourceThatSeesMostDecides) {
  const EnergyBounds watts =
      power_in_step(board_of({looking(0.025, 0.0), looking(0.09, 0.0)}), 100.0, false);
  const EnergyBounds alone = power_in_step(board_of({looking(0.09, 0.0)}), 100.0, false);
  EXPECT_EQ(watts.lower, alone.lower);
  EXPECT_EQ(watts.upper, alone.upper);
}

TEST(PowerInStep, ACounterThatIsInDoubtBoundsNothing) {
  ObservedSource counter = looking(0.0, 0.0);
  counter.look = Look::counter;
  const ObservedBoard board = board_of({counter, looking(0.025, 0.0)});
  EXPECT_NEAR(power_in_step(board, 100.0, false).upper.value(), 100.0, 1e-6);
  EXPECT_NEAR(power_in_step(board, 100.0, true).upper.value(), 50.0 + 200.0 * (0.75 + 1.0 / 16),
              1e-6);
}

}  // namespace
}  // namespace truewatt::energy
