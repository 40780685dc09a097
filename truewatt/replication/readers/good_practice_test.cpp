#include "truewatt/replication/readers/good_practice.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "truewatt/testing/test_traces.hpp"

namespace truewatt::replication {
namespace {

TEST(GoodPractice, HasTheThreeCasesOfThePaper) {
  const GoodPractice same = good_practice(Seconds(0.1), Seconds(0.1));
  EXPECT_EQ(same.discard, Seconds(0.25));
  EXPECT_EQ(same.late, Seconds(0.1));
  EXPECT_EQ(same.delay, Seconds(0));
  const GoodPractice longer = good_practice(Seconds(1), Seconds(0.1));
  EXPECT_EQ(longer.discard, Seconds(1.25));
  EXPECT_EQ(longer.late, Seconds(0.1));
  EXPECT_EQ(longer.delay, Seconds(0));
  const GoodPractice shorter = good_practice(Seconds(0.025), Seconds(0.1));
  EXPECT_EQ(shorter.discard, Seconds(0.1));
  EXPECT_EQ(shorter.late, Seconds(0));
  EXPECT_EQ(shorter.delay, Seconds(0.025));
}

TEST(GoodPractice, GoesByTheFittedWindowAndTwiceTheLag) {
  Profile profile;
  EXPECT_FALSE(good_practice_of(&profile, kInstant));
  profile.sources = {
      {.source = kInstant,
       .update_period_s = Interval{0.1, 0.1, 0.1, 0.95},
       .fitted = FittedModel{{0.0, 0, 0.005, 0.95}, {0.013, 0.013, 0.013, 0.95}, {}}}};
  EXPECT_NEAR(good_practice_of(&profile, kInstant)->delay.count(), 0.026, 1e-12);
  EXPECT_FALSE(good_practice_of(nullptr, kInstant));
}

/// 100 J a second until 1 s, then 200: what a sensor without lag shows of executions that take more
/// once the board is warm.
Trace ramping() {
  return make_trace(
      kInstant, 0.0, 10.0, 0.01, [](double t) { return t < 1 ? 100.0 : 200.0; }, 0);
}

TEST(GoodPractice, LeavesOutExecutionsThatBeginWhileThePowerRises) {
  // Ten of 0.3 s from 0.4 s on; those that begin before 0.5 + 0.25 are the first and the second.
  const std::vector<ExecutionGroup> groups = {{at(0.5), at(3.5), 10}};
  GoodPractice practice = good_practice(Seconds(0.1), Seconds(0.1));
  practice.late = Seconds(0);
  // The first alone is left out: 200 mJ/ms but for the 0.2 s from 0.8 to 1.0 s.
  EXPECT_NEAR(energy_of_execution(ramping(), groups, practice)->value(),
              (0.2 * 100 + 2.5 * 200) / 9, 0.02 * 60);
  EXPECT_NEAR(energy_of_execution(ramping(), groups, {})->value(), (0.5 * 100 + 2.5 * 200) / 10,
              0.02 * 60);
}

TEST(GoodPractice, ReadingsAreThoseOfEarlier) {
  const std::vector<ExecutionGroup> groups = {{at(0.9), at(1.0), 1}};
  EXPECT_NEAR(energy_of_execution(ramping(), groups, {.late = Seconds(0.05)})->value(),
              0.05 * 100 + 0.05 * 200, 0.011 * 100);
}

TEST(GoodPractice, DelaysBetweenGroupsDoNotCount) {
  const std::vector<ExecutionGroup> groups = {{at(2.0), at(2.4), 4}, {at(3.0), at(3.4), 4}};
  EXPECT_NEAR(energy_of_execution(ramping(), groups, {})->value(), 20.0, 1e-6);
}

TEST(GoodPractice, SaysNothingWhereNothingIsLeftOrNobodyLooked) {
  EXPECT_FALSE(energy_of_execution(ramping(), {{at(2.0), at(2.1), 4}}, {.discard = Seconds(0.25)}));
  EXPECT_FALSE(energy_of_execution(ramping(), {{at(9.9), at(10.9), 4}}, {}));
}

}  // namespace
}  // namespace truewatt::replication
