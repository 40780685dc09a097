#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "truewatt/load/load.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/spec_text.hpp"

namespace truewatt::load {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Schedule parsed(std::string_view spec, unsigned seed = 1) {
  const auto schedule = parse_schedule(spec, seed);
  EXPECT_TRUE(schedule) << (schedule ? "" : schedule.error().message);
  return schedule.value_or({});
}

std::string refusal_of_schedule(std::string_view spec) {
  const auto schedule = parse_schedule(spec, 1);
  EXPECT_FALSE(schedule) << spec << " was accepted";
  return schedule ? "" : schedule.error().message;
}

/// Times are sums and products of a few doubles below 100 s: rounding stays below 100 x 2^-50.
constexpr double kRounding = 1e-13;

void expect_step(const ScheduleStep& step, double at, double level) {
  EXPECT_NEAR(step.at.count(), at, kRounding);
  EXPECT_EQ(step.level, level);
}

TEST(Schedule, SquareDefaultsToThePapersHalfDuty) {
  const Schedule schedule = parsed("square");
  ASSERT_EQ(schedule.steps.size(), 160U);  // 80 periods, up and down
  expect_step(schedule.steps[0], 0.0, 1.0);
  expect_step(schedule.steps[1], 0.05, 0.0);
  expect_step(schedule.steps[159], 7.95, 0.0);
  EXPECT_EQ(schedule.duration.count(), 8.0);
  EXPECT_EQ(schedule.spec, "square");
}

TEST(Schedule, SquareTakesPeriodDutyDurationAndLevel) {
  const Schedule schedule = parsed("square:period=20ms,duty=0.25,duration=50ms,level=0.6");
  ASSERT_EQ(schedule.steps.size(), 6U);
  expect_step(schedule.steps[4], 0.04, 0.6);
  expect_step(schedule.steps[5], 0.045, 0.0);
  EXPECT_NEAR(schedule.duration.count(), 0.05, kRounding);
}

TEST(Schedule, SquareIsCutOffAtItsDuration) {
  const Schedule schedule = parsed("square:period=2,duration=2.5");
  ASSERT_EQ(schedule.steps.size(), 3U);  // the second high lasts 0.5 s and ends the schedule
  expect_step(schedule.steps[2], 2.0, 1.0);
}

/// 30 x 0.1 s is 3.0000000000000004 s in binary: no 31st period of 4e-16 s must follow.
TEST(Schedule, SquareMakesNoSliverOfRounding) {
  for (int periods = 1; periods <= 200; ++periods) {
    const Schedule schedule =
        parsed("square:period=0.1,duration=" + std::to_string(periods * 100) + "ms");
    EXPECT_EQ(schedule.steps.size(), 2U * static_cast<unsigned>(periods));
  }
}

TEST(Schedule, FullDutyIsOneStepAndNoDutyIsIdle) {
  const Schedule full = parsed("square:duty=1,level=0.5");
  ASSERT_EQ(full.steps.size(), 1U);
  expect_step(full.steps[0], 0.0, 0.5);
  const Schedule none = parsed("square:duty=0");
  ASSERT_EQ(none.steps.size(), 1U);
  expect_step(none.steps[0], 0.0, 0.0);
}

TEST(Schedule, StepAndFmaAreOneStretch) {
  for (const char* spec : {"step", "fma", "step:on=3s,level=1", "fma:level=1,on=3000ms"}) {
    const Schedule schedule = parsed(spec);
    ASSERT_EQ(schedule.steps.size(), 1U);
    expect_step(schedule.steps[0], 0.0, 1.0);
    EXPECT_EQ(schedule.duration.count(), 3.0);
  }
}

TEST(Schedule, NamesItsKernel) {
  for (const char* spec : {"copy", "copy:on=1s", "step:kernel=copy", "square:kernel=copy,level=0.5",
                           "burst:count=3,kernel=copy"}) {
    const auto stretches = active_stretches(parsed(spec));
    ASSERT_FALSE(stretches.empty()) << spec;
    ASSERT_NE(stretches[0].kernel, nullptr) << spec;
    EXPECT_EQ(stretches[0].kind(), (WorkKind{.what = "copy", .level = stretches[0].level}));
  }
  EXPECT_EQ(parsed("step:kernel=fma").steps[0].kernel, nullptr);
  EXPECT_THAT(refusal_of_schedule("step:kernel=memcpy"),
              AllOf(HasSubstr("kernel=memcpy"), HasSubstr("fma and copy")));
  EXPECT_THAT(refusal_of_schedule("copy:kernel=fma"), HasSubstr("no key 'kernel'"));
}

TEST(Schedule, BurstGapsLieBetweenGapAndGapPlusJitter) {
  const Schedule schedule = parsed("burst:on=10ms,gap=300ms,jitter=100ms,count=200");
  const auto stretches = active_stretches(schedule);
  ASSERT_EQ(stretches.size(), 200U);
  double gaps = 0.0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    EXPECT_NEAR((stretches[i].end - stretches[i].begin).count(), 0.01, kRounding);
    if (i == 0) continue;
    const double gap = (stretches[i].begin - stretches[i - 1].end).count();
    EXPECT_GE(gap, 0.3 - kRounding);
    EXPECT_LT(gap, 0.4 + kRounding);
    gaps += gap;
  }
  // Mean of 199 uniform draws: sd 100 ms / sqrt(12 x 199) = 2.05 ms; four of them.
  EXPECT_NEAR(gaps / 199.0, 0.35, 4 * 0.00205);
  EXPECT_EQ(stretches.back().end, schedule.duration);
}

TEST(Schedule, BurstJitterFollowsTheSeedAlone) {
  EXPECT_EQ(parsed("burst", 7).duration, parsed("burst", 7).duration);
  EXPECT_NE(parsed("burst", 7).duration, parsed("burst", 8).duration);
}

TEST(Schedule, BurstWithoutGapIsOneStretch) {
  const Schedule schedule = parsed("burst:on=10ms,gap=0,jitter=0,count=3");
  ASSERT_EQ(schedule.steps.size(), 1U);
  EXPECT_NEAR(schedule.duration.count(), 0.03, kRounding);
}

TEST(Schedule, DurationsAreSecondsUnlessAUnitStands) {
  EXPECT_NEAR(parse_duration("100ms")->count(), 0.1, kRounding);
  EXPECT_NEAR(parse_duration("20us")->count(), 2e-5, kRounding);
  EXPECT_EQ(parse_duration("1.5s")->count(), 1.5);
  EXPECT_EQ(parse_duration(" 2 ")->count(), 2.0);
  EXPECT_NEAR(parse_duration("5ns")->count(), 5e-9, kRounding);
  EXPECT_EQ(parse_duration("2min")->count(), 120.0);
  EXPECT_EQ(parse_duration("1.5h")->count(), 5400.0);
  for (const char* bad : {"", "ms", "1m", "1 0", "nan", "inf", "1e999s", "0x10", "1,5"}) {
    EXPECT_FALSE(parse_duration(bad)) << bad;
  }
}

TEST(Schedule, ErrorsNameLoadKeyValueAndWhatIsAllowed) {
  EXPECT_THAT(refusal_of_schedule("sqare:period=1"),
              AllOf(HasSubstr("'sqare'"), HasSubstr("square, step, burst")));
  EXPECT_THAT(refusal_of_schedule(""),
              HasSubstr("square, step, burst, trace:FILE.csv, fma and copy"));
  EXPECT_THAT(refusal_of_schedule("square:perod=1"),
              AllOf(HasSubstr("'perod'"), HasSubstr("period, duty, duration, level")));
  EXPECT_THAT(refusal_of_schedule("square:period=0"),
              AllOf(HasSubstr("'square'"), HasSubstr("period=0"), HasSubstr("from 1ns to 24h")));
  EXPECT_THAT(
      refusal_of_schedule("square:period=100,duty=0.1"),
      AllOf(HasSubstr("period of 100 s"), HasSubstr("duration of 8 s"), HasSubstr("100ms")));
  EXPECT_THAT(refusal_of_schedule("square:duty=1.5"),
              AllOf(HasSubstr("duty=1.5"), HasSubstr("0 to 1")));
  EXPECT_THAT(refusal_of_schedule("step:on=25e3h"), HasSubstr("on=25e3h"));
  EXPECT_THAT(refusal_of_schedule("step:on=86401"), HasSubstr("from 1ns to 24h"));
  EXPECT_THAT(refusal_of_schedule("step:level=nan"), HasSubstr("level=nan"));
  EXPECT_THAT(refusal_of_schedule("step:level=-0.1"), HasSubstr("level=-0.1"));
  EXPECT_THAT(refusal_of_schedule("step:on"), HasSubstr("key=value"));
  EXPECT_THAT(refusal_of_schedule("step:on=1,on=2"), HasSubstr("twice"));
  EXPECT_THAT(refusal_of_schedule("step:on=1,"), HasSubstr("last comma"));
  EXPECT_THAT(refusal_of_schedule("burst:count=0"), HasSubstr("1 to 5000000"));
  EXPECT_THAT(refusal_of_schedule("burst:count=1.5"), HasSubstr("count=1.5"));
  EXPECT_THAT(refusal_of_schedule("burst:gap=-1ms"), HasSubstr("gap=-1ms"));
}

TEST(Schedule, RefusesMoreStepsOrTimeThanItCanHold) {
  EXPECT_THAT(refusal_of_schedule("square:period=1us,duration=24000"),
              HasSubstr("10000000 are allowed"));
  EXPECT_THAT(refusal_of_schedule("burst:gap=10,count=10000"), HasSubstr("24 h"));
}

TEST(Schedule, TraceReadsAFile) {
  const std::string path = testing::TempDir() + "truewatt_levels_" + std::to_string(getpid());
  std::ofstream(path) << "t_s,level\n10,0.5\n11.5,0\n12,1\n14,0\n";
  const Schedule schedule = parsed("trace:" + path);
  std::remove(path.c_str());
  ASSERT_EQ(schedule.steps.size(), 3U);
  expect_step(schedule.steps[1], 1.5, 0.0);
  EXPECT_EQ(schedule.duration.count(), 4.0);
}

TEST(Schedule, TraceSaysWhatIsWrongWithItsFile) {
  EXPECT_THAT(refusal_of_schedule("trace"), HasSubstr("needs a file"));
  EXPECT_THAT(refusal_of_schedule("trace:"), HasSubstr("needs a file"));
  const auto missing = parse_schedule("trace:/nonexistent/levels.csv", 1);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::unavailable);
  EXPECT_THAT(missing.error().message, HasSubstr("'/nonexistent/levels.csv'"));
  const auto folder = parse_schedule("trace:/", 1);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, Errc::io);
}

TEST(ActiveStretches, MergeNeighboursOfOneLevelAndSkipIdle) {
  Schedule schedule;
  schedule.steps = {{Seconds(0), 0.0}, {Seconds(1), 0.5}, {Seconds(2), 0.5}, {Seconds(3), 1.0}};
  schedule.duration = Seconds(4);
  const auto stretches = active_stretches(schedule);
  ASSERT_EQ(stretches.size(), 2U);
  EXPECT_EQ(stretches[0].begin.count(), 1.0);
  EXPECT_EQ(stretches[0].end.count(), 3.0);
  EXPECT_EQ(stretches[1].end.count(), 4.0);
  EXPECT_EQ(stretches[1].level, 1.0);
}

}  // namespace
}  // namespace truewatt::load
