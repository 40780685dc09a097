#include "truewatt/microbenchmark/baselines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace truewatt::microbenchmark {
namespace {

using uncertainty::Budget;

constexpr double kIdleErr = 1.0;   // W
constexpr double kSpinErr = 0.02;  // W, of what readings of spinning err by

Point in_recording(int recording) {
  Point point;
  point.batch = recording;
  return point;
}

/// Spinning draws 50 W above idle, and idle errs by 1 W up or down from recording to recording.
Baselines of_recordings(int count) {
  Baselines on;
  for (int i = 0; i < count; ++i) {
    const double err = i % 2 == 0 ? kIdleErr : -kIdleErr;
    Batch batch;
    batch.idle_w = Budget(80.0);
    batch.idle_change_w = 2 * err;
    Point spin;
    spin.of.share = 1.0;
    spin.batch = on.add(batch);
    spin.length = Seconds(1);
    spin.idle_j = Budget(80.0 - err);
    spin.energy_j = Budget(130.0);
    spin.energy_j.add(uncertainty::Cause::readings, kSpinErr);
    on.add_spin(spin);
  }
  return on;
}

TEST(Baselines, IdleBeneathARowAndBeneathSpinningIsInTheirDifferenceOnce) {
  constexpr int kCount = 16;
  const Baselines on = of_recordings(kCount);
  const double idle_u = on.idle_u_w();
  ASSERT_NEAR(idle_u, kIdleErr, 0.1);
  std::vector<Point> everywhere;
  for (int i = 0; i < kCount; ++i) everywhere.push_back(in_recording(i));
  const auto alone = on.spin_at(1.0);
  const auto beside = on.spin_beside(1.0, everywhere);
  ASSERT_TRUE(alone && beside);
  EXPECT_DOUBLE_EQ(beside->value(), alone->value());
  // Idle is in what spins scatter by, and beneath a row that ran wherever they did.
  const double scatter = alone->precision();
  EXPECT_GT(scatter, idle_u / std::sqrt(kCount));
  const double of_readings = kSpinErr / std::sqrt(kCount);
  const double own =
      std::max(of_readings, std::sqrt(std::max(0.0, scatter * scatter - idle_u * idle_u / kCount)));
  EXPECT_LT(own, 0.3 * scatter);
  EXPECT_NEAR(beside->precision(), own, 1e-9);
  // Of a few of their recordings, or of others, idle differs.
  const std::vector<Point> once{in_recording(3)};
  EXPECT_NEAR(on.spin_beside(1.0, once)->precision(),
              std::hypot(own, idle_u * std::sqrt(1 - 1.0 / kCount)), 1e-9);
  const std::vector<Point> elsewhere{in_recording(kCount)};
  EXPECT_NEAR(on.spin_beside(1.0, elsewhere)->precision(),
              std::hypot(own, idle_u * std::sqrt(1 + 1.0 / kCount)), 1e-9);
  EXPECT_FALSE(on.spin_beside(0.5, everywhere));
}

TEST(Baselines, SpinningIsKnownNoBetterThanItsReadings) {
  Baselines on;
  constexpr double kReadings = 0.5;  // W
  for (int i = 0; i < 4; ++i) {
    Batch batch;
    batch.idle_w = Budget(80.0);
    batch.idle_change_w = 8.0;  // idle wanders, and spins agree by chance
    Point spin;
    spin.of.share = 1.0;
    spin.batch = on.add(batch);
    spin.length = Seconds(1);
    spin.idle_j = Budget(80.0);
    spin.energy_j = Budget(130.0);
    spin.energy_j.add(uncertainty::Cause::readings, kReadings, {.run = i});
    on.add_spin(spin);
  }
  std::vector<Point> everywhere;
  for (int i = 0; i < 4; ++i) everywhere.push_back(in_recording(i));
  EXPECT_NEAR(on.spin_beside(1.0, everywhere)->precision(), kReadings / 2, 1e-9);
}

TEST(Baselines, AClockThreePerCentFromSpinningsIsAnother) {
  Baselines on;
  Point point;
  point.clock_hz = 1.9e9;
  EXPECT_FALSE(on.is_of_another_clock(point));  // spinning's was not seen
  Point spin;
  spin.of.share = 1.0;
  spin.length = Seconds(1);
  spin.clock_hz = 1.98e9;
  on.add_spin(spin);
  EXPECT_TRUE(on.is_of_another_clock(point));
  EXPECT_NEAR(on.clock_share(point), 1.9 / 1.98, 1e-12);
  point.clock_hz = 2.06e9;
  EXPECT_TRUE(on.is_of_another_clock(point));
  point.clock_hz = 1.95e9;
  EXPECT_FALSE(on.is_of_another_clock(point));
  point.clock_hz.reset();
  EXPECT_FALSE(on.is_of_another_clock(point));
}

/// Spinning draws so much above idle, known to 1 W at 95 %.
Baselines spinning_at(double above_idle_w) {
  Baselines on;
  Batch batch;
  batch.idle_w = Budget(80.0);
  Point spin;
  spin.of.share = 1.0;
  spin.batch = on.add(batch);
  spin.length = Seconds(1);
  spin.idle_j = Budget(80.0);
  spin.energy_j = Budget(80.0 + above_idle_w);
  spin.energy_j.add(uncertainty::Cause::gain, 0.5);
  on.add_spin(spin);
  return on;
}

TEST(Baselines, IdleIsAboveSpinningOnlyWhereChanceDoesNotBringItThere) {
  EXPECT_FALSE(spinning_at(0.0).idles_above_spinning());
  EXPECT_FALSE(spinning_at(-1.2).idles_above_spinning());
  EXPECT_TRUE(spinning_at(-2.2).idles_above_spinning());
}

TEST(Baselines, IdleThatIsHigherAfterKernelsIsOpenBySoMuch) {
  Baselines on;
  for (int i = 0; i < 6; ++i) {
    Batch batch;
    batch.idle_w = Budget(120.0);
    batch.idle_change_w = 9.0 + i % 3;
    on.add(batch);
  }
  EXPECT_NEAR(on.active_idle_w(), 10.0, 1e-9);
  EXPECT_GT(half_width_of(*on.idle_w()), 1.96 * 10.0);
  EXPECT_TRUE(on.note_of_active_idle());
  const Baselines steady = of_recordings(6);
  EXPECT_EQ(steady.active_idle_w(), 0.0);
  EXPECT_FALSE(steady.note_of_active_idle());
}

}  // namespace
}  // namespace truewatt::microbenchmark
