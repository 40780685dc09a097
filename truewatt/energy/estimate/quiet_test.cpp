#include "truewatt/energy/estimate/quiet.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace truewatt::energy {
namespace {

// What a slow filter still shows of the time before it was read tells little of when that was.
TEST(IdleStretches, LieWhereReadingsAre) {
  ObservedBoard board{.lowest_w = 60.0, .limit_w = 450.0};
  ObservedSource source{.source = {SourceKind::power_usage, Scope::gpu},
                        .period = 0.18,
                        .time_constant = 0.6,
                        .scatter = 1.0};
  for (int i = 0; i < 40; ++i) {
    const double t = 0.18 * i;
    source.readings.push_back({.time = t, .time_sd = 1e-3, .value = 60.0 + 8 * std::exp(-t / 0.6)});
  }
  board.sources.push_back(source);
  const CourseHints known{.work = {{6.0, 6.2, 0}}};
  for (const CourseHints& hints : {CourseHints{}, known}) {
    const EnergyCourse course(board, hints);
    ASSERT_LT(course.span().begin, -1.0);
    const IdleStretches idle(course);
    const auto found = idle.baseline_of({6.0, 6.2}, std::nullopt);
    ASSERT_TRUE(found);
    EXPECT_GE(found->stretch.begin, 0.0);
    for (const double level : idle.levels_about({0.0, 1.0})) EXPECT_NEAR(level, 60.0, 4.0);
  }
}

// A first value may have stood there for long: idle is known from when it was seen. Before that,
// what ran before the capture makes the mean uncertain by watts.
TEST(IdleStretches, BeginWhereTheFirstReadingWasSeen) {
  ObservedBoard board{.lowest_w = 60.0, .limit_w = 450.0};
  ObservedSource source{
      .source = {SourceKind::power_usage, Scope::gpu}, .period = 0.1, .scatter = 0.3};
  source.readings.push_back({.time = -0.06, .time_sd = 0.06 / std::sqrt(3.0), .value = 56.0});
  for (int i = 1; i < 60; ++i) {
    const double value = (i > 15 && i <= 45 ? 190.0 : 60.0) + (i % 2 == 0 ? 0.3 : -0.3);
    source.readings.push_back({.time = 0.1 * i - 0.04, .time_sd = 1e-3, .value = value});
  }
  board.sources.push_back(source);
  const EnergyCourse course(board, {.work = {{1.5, 4.5, 0}}, .work_from = -0.02});
  const auto found = IdleStretches(course).baseline_of({1.5, 4.5}, BaselineKind::before);
  ASSERT_TRUE(found);
  EXPECT_GE(found->stretch.begin, -1e-9);
  const double length = found->stretch.end - found->stretch.begin;
  EXPECT_LT(course.energy(found->stretch).standard_uncertainty / length, 0.7);
}

// A log of two stretches years apart takes no longer than these.
TEST(IdleStretches, AreLookedForWhereReadingsAre) {
  ObservedBoard board{.lowest_w = 60.0, .limit_w = 450.0};
  ObservedSource source{
      .source = {SourceKind::power_usage, Scope::gpu}, .period = 0.1, .scatter = 0.3};
  for (const double begin : {0.0, 3e8}) {
    board.read.push_back({begin, begin + 4});
    for (int i = 0; i < 40; ++i) {
      source.readings.push_back({.time = begin + 0.1 * i, .time_sd = 1e-3, .value = 60.0});
    }
  }
  board.sources.push_back(source);
  const EnergyCourse course(board, {});
  const auto found = IdleStretches(course).baseline_of({3e8 + 3, 3e8 + 4}, std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_GE(found->stretch.begin, 3e8);
}

/// Readings of 0.2 W of scatter `apart` seconds from each other: 60 W, and 300 W from `rise` to
/// `fall`, each the mean of a moment before it.
ObservedBoard sparse_board(double apart, double rise, double fall) {
  ObservedBoard board{.lowest_w = 59.8, .highest_w = 300.2, .limit_w = 450.0};
  ObservedSource source{.source = {SourceKind::power_usage, Scope::gpu},
                        .look = Look::average,
                        .period = apart,
                        .window = 0.05,
                        .scatter = 0.2,
                        .age_sd = 0.04};
  for (int i = 0; i < 90; ++i) {
    const double t = apart * i;
    const double level = t > rise && t <= fall ? 300.0 : 60.0;
    source.readings.push_back(
        {.time = t - 0.05, .time_sd = 0.03, .value = level + (i % 2 == 0 ? 0.2 : -0.2)});
  }
  board.sources.push_back(source);
  return board;
}

// A rise on a reading may lie on either side of it, and a fall as well: what is open there is none
// of idle. The course lets power walk by 4 W²/s, 15 W in a minute between two readings; of the
// stretch's ten, each known to 0.2 W, those at its ends have a tenth of that, 1 W together.
TEST(IdleStretches, KeepAReadingsDistanceFromAnEdge) {
  constexpr double kStrays = 1.0;  // W
  for (const double apart : {1.0, 2.0, 60.0}) {
    const CourseWindow work{30 * apart, 60 * apart};
    const EnergyCourse course(sparse_board(apart, work.begin, work.end),
                              {.marks = {work.begin, work.end}});
    const auto found = IdleStretches(course).baseline_of(work, std::nullopt);
    ASSERT_TRUE(found && found->behind) << apart;
    for (const CourseWindow& idle : {found->stretch, *found->behind}) {
      const double length = idle.end - idle.begin;
      EXPECT_GE(length, 9.9 * apart);
      EXPECT_NEAR(course.mean_power(idle.begin, idle.end), 60.0, kStrays) << apart;
      EXPECT_LT(course.energy(idle).standard_uncertainty / length, kStrays) << apart;
    }
    EXPECT_LE(found->stretch.end, work.begin - apart);
    EXPECT_GE(found->behind->begin, work.end + apart);
  }
}

// A board that slept, and then holds a context: what work is added to is what stands before it.
TEST(IdleStretches, BesideKnownWorkAreOfAnyLevel) {
  ObservedBoard board{.lowest_w = 48.0, .highest_w = 90.0, .limit_w = 450.0};
  ObservedSource source{
      .source = {SourceKind::power_usage, Scope::gpu}, .period = 0.1, .scatter = 0.3};
  for (int i = 0; i < 90; ++i) {
    const double level = i < 40 ? 48.0 : i > 60 && i <= 80 ? 90.0 : 70.0;
    source.readings.push_back(
        {.time = 0.1 * i, .time_sd = 1e-3, .value = level + (i % 2 == 0 ? 0.3 : -0.3)});
  }
  board.sources.push_back(source);
  const CourseHints known{.work = {{6.05, 8.05, 0}}};
  const EnergyCourse course(board, known);
  const auto found = IdleStretches(course, known).baseline_of({6.05, 8.05}, std::nullopt);
  ASSERT_TRUE(found);
  EXPECT_NEAR(course.mean_power(found->stretch.begin, found->stretch.end), 70.0, 1.0);
  EXPECT_LE(found->stretch.end, 6.05);
}

}  // namespace
}  // namespace truewatt::energy
