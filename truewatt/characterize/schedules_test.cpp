#include "truewatt/characterize/schedules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace truewatt::characterize {
namespace {

TEST(ScoutSchedule, IsTwoStepsThatSettle) {
  std::mt19937_64 rng(1);
  const auto schedule = scout_schedule(rng);
  ASSERT_EQ(schedule.steps.size(), 4U);
  for (std::size_t i = 0; i < 4; i += 2) {
    EXPECT_EQ(schedule.steps[i].level, 1.0);
    EXPECT_EQ(schedule.steps[i + 1].level, 0.0);
    const double on = (schedule.steps[i + 1].at - schedule.steps[i].at).count();
    EXPECT_GE(on, 1.3);
    EXPECT_LE(on, 2.0);
  }
  EXPECT_NEAR((schedule.duration - schedule.steps[3].at).count(), 2.0, 1e-9);
}

TEST(LevelSchedule, PlaysEveryLevelOnceInARandomOrder) {
  std::set<std::vector<double>> orders;
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937_64 rng(seed);
    const auto schedule = level_schedule(rng);
    std::vector<double> levels;
    for (const load::ScheduleStep& step : schedule.steps) {
      if (step.level > 0) levels.push_back(step.level);
    }
    EXPECT_LE(schedule.duration.count(), 6.0);
    orders.insert(levels);
    std::sort(levels.begin(), levels.end());
    EXPECT_EQ(levels, (std::vector<double>{0.25, 0.5, 0.75}));
  }
  EXPECT_GT(orders.size(), 3U);
}

TEST(RandomSchedule, KeepsItsLengthAndItsLimits) {
  std::mt19937_64 rng(1);
  const RandomWork kind{.shortest_s = 0.005, .longest_s = 0.05, .long_share = 0.0};
  const auto schedule = random_schedule(kind, Seconds(10.0), 0, rng);
  EXPECT_NEAR(schedule.duration.count(), 10.0, 1e-9);
  for (std::size_t i = 1; i < schedule.steps.size(); ++i) {
    const double length = (schedule.steps[i].at - schedule.steps[i - 1].at).count();
    EXPECT_GE(length, 0.005 - 1e-9);
    EXPECT_LE(length, 0.05 + 1e-9);
    EXPECT_NE(schedule.steps[i].level, schedule.steps[i - 1].level);
  }
}

TEST(RandomSchedule, EndsOnTimeWithItsSteps) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    std::mt19937_64 rng(seed);
    const auto schedule = random_schedule({}, Seconds(16.0), 2, rng);
    EXPECT_NEAR(schedule.duration.count(), 16.0, 1e-9);
    EXPECT_LT(schedule.steps.back().at, schedule.duration);
  }
}

TEST(RandomSchedule, IsTheSameForASeedAndHoldsItsSteps) {
  std::mt19937_64 first(5);
  std::mt19937_64 second(5);
  const auto a = random_schedule({}, Seconds(12.0), 2, first);
  const auto b = random_schedule({}, Seconds(12.0), 2, second);
  ASSERT_EQ(a.steps.size(), b.steps.size());
  int steps = 0;
  for (std::size_t i = 0; i + 1 < a.steps.size(); ++i) {
    EXPECT_EQ(a.steps[i].at, b.steps[i].at);
    const double on = (a.steps[i + 1].at - a.steps[i].at).count();
    steps += a.steps[i].level > 0 && on >= 1.3 ? 1 : 0;
  }
  EXPECT_EQ(steps, 2);
}

TEST(KindsFor, StayWithinWhatALoadCanPlay) {
  for (const double period : {0.008, 0.02, 0.1, 0.25}) {
    for (const double covered : {0.0005, 0.02, 1.0, 3.0}) {
      for (const RandomWork& kind : kinds_for(period, covered)) {
        EXPECT_GE(kind.shortest_s, 0.004);
        EXPECT_GT(kind.longest_s, kind.shortest_s);
        EXPECT_LE(kind.longest_s, 1.0);
      }
    }
  }
}

}  // namespace
}  // namespace truewatt::characterize
