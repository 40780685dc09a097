#include "truewatt/measure/repetition_design.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace truewatt::measure {
namespace {

/// Widest gap between the phases at which `count` executions begin, as a share of the period: 1 /
/// count where they fill it evenly.
double gap_of(Seconds execution, Seconds period, int count) {
  const load::Schedule once = [&] {
    load::Schedule schedule;
    schedule.steps = {{Seconds(0), 1.0}};
    schedule.duration = execution;
    return schedule;
  }();
  const RepetitionDesign design = repetition_design(execution, {period}, count);
  std::vector<double> phases;
  for (const Seconds begin : begins_of(once, design, count, Seconds(0))) {
    phases.push_back(std::fmod(begin / period, 1.0));
  }
  std::sort(phases.begin(), phases.end());
  double widest = phases.front() + 1 - phases.back();
  for (std::size_t i = 1; i < phases.size(); ++i) {
    widest = std::max(widest, phases[i] - phases[i - 1]);
  }
  return widest;
}

TEST(RepetitionDesign, PhasesFillThePeriodHoweverLongTheLoad) {
  const Seconds period{0.001};  // so that a trial has many executions
  for (const double share : {0.1, 0.25, 0.5, 0.9999, 1.0, 1.37, 3.0, 8.0}) {
    for (const int count : {4, 8, 13, 32}) {
      EXPECT_LE(gap_of(share * period, period, count), 2.7001 / count) << share << " " << count;
    }
  }
}

TEST(RepetitionDesign, FewPhasesLieEvenlyAfterShortPauses) {
  const Seconds period{0.1};
  double all = 0.0;
  int designs = 0;
  for (double share = 0.0317; share < 9; share *= 1.37) {
    for (const int count : {2, 3, 4, 5, 8, 13, 16}) {
      EXPECT_NEAR(gap_of(share * period, period, count), 1.0 / count, 1e-6)
          << share << " " << count;
      all += pauses_of(repetition_design(share * period, {period}, count), count) / period;
      ++designs;
    }
  }
  EXPECT_LT(all / designs, 1.2) << "periods waited, on the mean";
  EXPECT_NEAR(repetition_design(8 * period, {period}, 2).pause / period, 0.5, 1e-9);
  // Five sixteenths of a period lie just beyond an execution of 1.3 of them.
  EXPECT_NEAR(repetition_design(1.3 * period, {period}, 16).pause / period, 0.0125, 1e-9);
}

TEST(RepetitionDesign, WaitsLessThanAPeriodAndWorksForAboutASecond) {
  for (const double seconds : {0.0001, 0.01, 0.1, 0.3, 0.7, 1.0, 30.0}) {
    const RepetitionDesign design = repetition_design(
        Seconds(seconds), {Seconds(0.1)}, executions_of_trial(Seconds(seconds), std::nullopt));
    EXPECT_GE(design.pause, Seconds(0));
    EXPECT_LT(design.pause, Seconds(0.1));
    EXPECT_GE(design.executions, 1);
    EXPECT_LE(design.executions, 20000);
    if (design.executions < 20000) {
      EXPECT_GE(design.executions * seconds, 1.0 - 1e-9);
    }
    EXPECT_LT((design.executions - 1) * seconds, 1.0);
    // Of many executions all pauses together are about a period.
    if (design.executions >= 64) {
      EXPECT_LT(pauses_of(design, design.executions), Seconds(0.3)) << seconds;
    }
  }
}

TEST(RepetitionDesign, FewExecutionsAreOneTrial) {
  EXPECT_EQ(executions_of_trial(Seconds(0.1), 1), 1);
  EXPECT_EQ(executions_of_trial(Seconds(0.1), 49), 49);
  EXPECT_EQ(executions_of_trial(Seconds(0.1), 50), 10);
  EXPECT_EQ(executions_of_trial(Seconds(0.1), 100000), 10);
  EXPECT_EQ(executions_of_trial(Seconds(3), 4), 4);
  EXPECT_EQ(executions_of_trial(Seconds(3), 5), 1);
  EXPECT_EQ(executions_of_trial(Seconds(1e-5), 90000), 20000);
}

TEST(RepetitionDesign, ATrialIsItsExecutionsAndTheirPauses) {
  const load::Schedule once =
      *load::parse_schedule("square:period=100ms,duty=0.5,duration=300ms", 1);
  const RepetitionDesign design = repetition_design(once.duration, {Seconds(0.1)}, 4);
  const load::Schedule all = trial_schedule(once, design, 4, Seconds(0.03));
  const auto begins = begins_of(once, design, 4, Seconds(0.03));
  ASSERT_EQ(begins.size(), 4U);
  EXPECT_EQ(begins.front(), Seconds(0.03));
  EXPECT_NEAR((begins.back() - begins.front() - 3 * once.duration).count(),
              pauses_of(design, 4).count(), 1e-12);
  EXPECT_NEAR(all.duration.count(), (begins.back() + once.duration).count(), 1e-12);
  double busy = 0.0;
  for (std::size_t i = 0; i < all.steps.size(); ++i) {
    const Seconds end = i + 1 < all.steps.size() ? all.steps[i + 1].at : all.duration;
    busy += all.steps[i].level * (end - all.steps[i].at).count();
  }
  EXPECT_NEAR(busy, 4 * 0.15, 1e-9);
}

TEST(RepetitionDesign, OfThePapersPracticeHasEightDelaysWhereTheSensorLooksPartOfTheTime) {
  const auto part_time = replication::good_practice(Seconds(0.025), Seconds(0.1));
  const RepetitionDesign design = design_of(part_time, Seconds(0.1));
  EXPECT_EQ(design.executions, 56);  // 5 s, in eighths
  EXPECT_EQ(design.group, 7);
  EXPECT_EQ(design.pause, Seconds(0.025));
  EXPECT_EQ(design_of(part_time, Seconds(1)).executions, 32);
  const auto groups = groups_of(design, Seconds(0.1), 56, HostTime());
  ASSERT_EQ(groups.size(), 8U);
  EXPECT_EQ(groups[1].begin, HostTime(std::chrono::milliseconds(725)));
  EXPECT_EQ(groups[1].end, HostTime(std::chrono::milliseconds(1425)));
  EXPECT_EQ(groups[1].executions, 7);

  const RepetitionDesign whole =
      design_of(replication::good_practice(Seconds(0.1), Seconds(0.1)), Seconds(0.1));
  EXPECT_EQ(whole.executions, 50);
  EXPECT_EQ(whole.pause, Seconds(0));
  EXPECT_EQ(groups_of(whole, Seconds(0.1), whole.executions, HostTime()).size(), 1U);
}

}  // namespace
}  // namespace truewatt::measure
