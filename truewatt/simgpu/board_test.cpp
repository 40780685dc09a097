#include "truewatt/simgpu/board.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::simgpu {
namespace {

BoardDescription plain() {
  return {.sleep = Watts(20), .idle = Watts(50), .max = Watts(250), .noise = Watts(0)};
}

Play step(double begin, double end, double level = 1.0) {
  return {.steps = {{begin, level}}, .end = end};
}

TEST(Board, SleepsOutsideALoadsMargins) {
  const PowerSignal power = board_power(plain(), {step(2, 5)}, {});
  EXPECT_DOUBLE_EQ(power.value(0.99), 20);
  EXPECT_DOUBLE_EQ(power.value(1.01), 50);
  EXPECT_DOUBLE_EQ(power.value(2.0), 250);
  EXPECT_DOUBLE_EQ(power.value(4.999), 250);
  EXPECT_DOUBLE_EQ(power.value(5.0), 50);
  EXPECT_DOUBLE_EQ(power.value(6.01), 20);
}

TEST(Board, LevelScalesBetweenIdleAndMax) {
  EXPECT_DOUBLE_EQ(board_power(plain(), {step(2, 5, 0.4)}, {}).value(3.0), 50 + 0.4 * 200);
}

TEST(Board, WorkOfOthersAddsUpAndKeepsAContext) {
  const std::vector<OtherWork> others{{Seconds(3), Seconds(4), 0.25},
                                      {Seconds(4), Seconds(2), 0.5}};
  const PowerSignal power = board_power(plain(), {step(2, 5, 0.5)}, {}, others);
  EXPECT_DOUBLE_EQ(power.value(2.5), 50 + 0.5 * 200);
  EXPECT_DOUBLE_EQ(power.value(3.5), 50 + 0.75 * 200);
  EXPECT_DOUBLE_EQ(power.value(4.5), 250) << "no more than all of it";
  EXPECT_DOUBLE_EQ(power.value(5.5), 50 + 0.75 * 200);
  EXPECT_DOUBLE_EQ(power.value(6.5), 50 + 0.25 * 200);
  EXPECT_DOUBLE_EQ(power.value(7.5), 20);
  EXPECT_DOUBLE_EQ(activity_at({}, {}, 4.5, others).level, 0.75);
  EXPECT_TRUE(activity_at({}, {}, 4.5, others).context);
  EXPECT_FALSE(activity_at({}, {}, 7.5, others).context);
}

TEST(Board, RisesWithItsTimeConstantAndFallsAtOnce) {
  BoardDescription board = plain();
  board.rise_time_constant = Seconds(0.2);
  board.rise_fraction = 0.5;
  const PowerSignal power = board_power(board, {step(2, 5)}, {});
  // The step out of sleep has settled to exp(-5) of 15 W when the load begins.
  const double left = 15 * std::exp(-5.0);
  EXPECT_NEAR(power.value(2.0), 250 - 100 - left, 1e-9);
  EXPECT_NEAR(power.value(2.2), 250 - (100 + left) * std::exp(-1.0), 1e-9);
  EXPECT_DOUBLE_EQ(power.value(5.0), 50);
}

TEST(Board, OvershootsUpwardOnly) {
  BoardDescription board = plain();
  board.overshoot = 0.1;
  board.overshoot_time_constant = Seconds(0.01);
  const PowerSignal power = board_power(board, {step(2, 5)}, {});
  EXPECT_NEAR(power.value(2.0), 270, 1e-9);
  EXPECT_NEAR(power.value(3.0), 250, 1e-9);
  EXPECT_DOUBLE_EQ(power.value(5.001), 50);
}

TEST(Board, StepsDownFromActiveIdle) {
  BoardDescription board = plain();
  board.active_idle = Watts(90);
  board.active_idle_hold = Seconds(3.5);
  const PowerSignal power = board_power(board, {step(2, 5)}, {});
  EXPECT_DOUBLE_EQ(power.value(5.0), 90);
  EXPECT_DOUBLE_EQ(power.value(8.49), 90);
  EXPECT_DOUBLE_EQ(power.value(8.51), 80);
  EXPECT_DOUBLE_EQ(power.value(9.51), 70);
  EXPECT_DOUBLE_EQ(power.value(10.51), 60);
  EXPECT_DOUBLE_EQ(power.value(11.51), 20);
}

TEST(Board, DriftsTowardsItsLevelAndBack) {
  BoardDescription board = plain();
  board.drift = Watts(10);
  board.drift_time_constant = Seconds(2);
  const PowerSignal power = board_power(board, {step(2, 6)}, {});
  EXPECT_NEAR(power.value(4.0), 250 + 10 * (1 - std::exp(-1.0)), 1e-9);
  const double reached = 10 * (1 - std::exp(-2.0));
  EXPECT_NEAR(power.value(7.0 - 1e-9), 50 + reached * std::exp(-0.5), 1e-6);
}

TEST(Board, ThrottlingCapsTheLevel) {
  const PowerSignal power = board_power(plain(), {step(2, 6)}, {{Seconds(3), Seconds(1), 0.5}});
  EXPECT_DOUBLE_EQ(power.value(2.5), 250);
  EXPECT_DOUBLE_EQ(power.value(3.5), 150);
  EXPECT_DOUBLE_EQ(power.value(4.5), 250);
  EXPECT_TRUE(activity_at({step(2, 6)}, {{Seconds(3), Seconds(1), 0.5}}, 3.5).throttled);
  EXPECT_FALSE(activity_at({step(2, 6)}, {{Seconds(3), Seconds(1), 0.5}}, 4.5).throttled);
}

TEST(Board, PlaysOneLoadAfterAnother) {
  const PowerSignal power = board_power(plain(), {step(2, 3), step(3.5, 4)}, {});
  EXPECT_DOUBLE_EQ(power.value(3.2), 50);
  EXPECT_DOUBLE_EQ(power.value(3.7), 250);
  EXPECT_DOUBLE_EQ(power.value(4.5), 50);
  EXPECT_DOUBLE_EQ(power.value(5.1), 20);
}

}  // namespace
}  // namespace truewatt::simgpu
