#include "truewatt/model/tick_tracker.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace truewatt {
namespace {

using namespace std::chrono_literals;

HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

void add(TickTracker& tracker, double tick, double half_width = 0.0005) {
  tracker.add(at(tick - half_width), at(tick + half_width));
}

TEST(TickTracker, PredictsTheNextTick) {
  TickTracker tracker;
  for (int k = 0; k < 6; ++k) add(tracker, 0.03 + 0.1 * k);
  const auto next = tracker.next_after(at(0.6));
  ASSERT_TRUE(next);
  EXPECT_NEAR(seconds_between(at(0), next->time), 0.63, 1e-6);
  EXPECT_LT(next->guard, 2ms);
  EXPECT_NEAR(tracker.period()->count(), 0.1, 1e-9);
}

TEST(TickTracker, IsSilentWhileItLearns) {
  TickTracker tracker;
  for (int k = 0; k < 4; ++k) add(tracker, 0.1 * k);
  EXPECT_FALSE(tracker.next_after(at(0.4)));
}

TEST(TickTracker, CountsEqualValuesAsWholePeriods) {
  TickTracker tracker;
  std::mt19937 rng(4);
  double last = 0;
  for (int k = 0; k < 60; ++k) {
    if (k > 5 && rng() % 2 == 0) continue;
    add(tracker, last = 0.02 * k);
  }
  EXPECT_NEAR(tracker.period()->count(), 0.02, 1e-9);
  EXPECT_NEAR(seconds_between(at(last), tracker.next_after(at(last))->time), 0.02, 1e-6);
}

TEST(TickTracker, WidensItsGuardWithTheJitter) {
  TickTracker tracker;
  std::mt19937 rng(5);
  std::normal_distribution<double> jitter(0.0, 0.002);
  for (int k = 0; k < 32; ++k) add(tracker, 0.1 * k + jitter(rng));
  const auto guard = tracker.next_after(at(3.2))->guard;
  EXPECT_GT(guard, 4ms);  // 3 sd is 6 ms
  EXPECT_LT(guard, 10ms);
}

TEST(TickTracker, NarrowsThePhaseToWhatWideBracketsHaveInCommon) {
  // Looks every 9 ms at a source that ticks every 100 ms: brackets of 9 ms at changing places.
  TickTracker tracker;
  for (int k = 0; k < 32; ++k) {
    const double tick = 0.0312 + 0.1 * k;
    const double before = std::floor(tick / 0.009) * 0.009;
    tracker.add(at(before), at(before + 0.009));
  }
  const auto next = tracker.next_after(at(3.2));
  ASSERT_TRUE(next);
  EXPECT_LT(std::abs(seconds_between(at(3.2312), next->time)), 0.001);
  EXPECT_LT(next->guard, 2500us);
}

TEST(TickTracker, FollowsAPhaseThatJumped) {
  TickTracker tracker;
  for (int k = 0; k < 20; ++k) add(tracker, 0.1 * k);
  for (int k = 0; k < 10; ++k) add(tracker, 2.0 + 0.045 + 0.1 * k);
  const auto next = tracker.next_after(at(3.0));
  ASSERT_TRUE(next);
  EXPECT_NEAR(seconds_between(at(0), next->time), 3.045, 0.002);
}

}  // namespace
}  // namespace truewatt
