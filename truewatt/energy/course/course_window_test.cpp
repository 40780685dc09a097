#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

// A burst at the window's edge is a fifth of a counter's period: of what it drew, the counts say in
// which period, not on which side of the edge. (Where the last one fills what the window has of its
// period, from phase 0.5 on, the course puts it outside, and its interval does not hold it.)
TEST(CourseWindow, HoldsBurstsThatBeginAndEndAWindow) {
  constexpr double kPeriod = 0.1;
  constexpr double kOn = 0.02;
  constexpr int kBursts = 16;
  double most = 0.0;
  for (const double phase : {0.05, 0.2, 0.35}) {
    const auto begin = [phase](int burst) { return 2.0 + kPeriod * phase + 0.37 * burst; };
    const auto integral = [&](double t) {
      double joules = 60 * t;
      for (int burst = 0; burst < kBursts; ++burst) {
        joules += 300 * std::clamp(t - begin(burst), 0.0, kOn);
      }
      return joules;
    };
    ObservedSource counter{.source = {SourceKind::energy_counter, Scope::gpu},
                           .look = Look::counter,
                           .period = kPeriod,
                           .scatter = 0.001,
                           .is_characterized = true,
                           .integrates = true};
    for (int i = 0; i < 110; ++i) {
      const double time = kPeriod * i;
      const double joules = integral(time) - integral(time - kPeriod);
      counter.readings.push_back(
          {.time = time, .time_sd = 1e-5, .value = i == 0 ? 0.0 : joules, .is_first = i == 0});
    }
    const CourseWindow window{begin(0), begin(kBursts - 1) + kOn};
    const ObservedBoard board{.lowest_w = 60.0, .limit_w = 500.0, .sources = {counter}};
    const EnergyCourse course(board, {.marks = {window.begin, window.end}});
    const CourseEnergy energy = course.energy(window);
    const double truth = integral(window.end) - integral(window.begin);
    EXPECT_NEAR(energy.joules, truth, 2 * energy.standard_uncertainty) << phase;
    EXPECT_LT(energy.standard_uncertainty, 0.02 * truth);
    // Edges that nobody set are no burst's.
    const EnergyCourse cut_anywhere(board, {});
    EXPECT_LT(cut_anywhere.energy(window).standard_uncertainty, energy.standard_uncertainty);
    most = std::max(most, std::abs(energy.joules - truth) / truth);
  }
  EXPECT_GT(most, 0.005) << "this test shows nothing";
}

// Blind readings say when something was only as well as the fastest source's age is known: another
// source's is told beside it.
TEST(CourseWindow, KnowsItsTimeAsWellAsTheFastestSource) {
  const TestSensor instant{
      .source = {SourceKind::power_instant, Scope::gpu},
      .model = {.update_period = Seconds(0.02), .averaging_window = Seconds(0.01)},
      .noise = 1.0,
      .bracket = 0.1};
  TestSensor average = instant;
  average.source.kind = SourceKind::power_average;
  average.model = {.update_period = Seconds(0.1), .averaging_window = Seconds(1.0)};
  TestProgram program{.idle_w = 60, .length = 60};
  for (double t = 3; t < 55; t += 5.3) program.work.push_back({t, t + 2.6, 400});
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937_64 rng(seed);
    const ObservedBoard board = observe(record(program, {instant, average}, rng), {});
    ASSERT_EQ(board.sources.size(), 2U);
    const double age_sd = board.sources.front().age_sd;
    EXPECT_GT(age_sd, 0.02);
    const EnergyCourse course(board, {});
    const double shift = seconds_between(program_begin(), board.origin);
    for (const CourseWindow& idle_to_work : {CourseWindow{12, 20}, {17, 41.5}}) {
      const CourseWindow window{idle_to_work.begin - shift, idle_to_work.end - shift};
      const double change = course.mean_power(window.end - 0.5, window.end) -
                            course.mean_power(window.begin, window.begin + 0.5);
      EXPECT_GT(std::abs(change), 300);
      EXPECT_GT(course.energy(window).standard_uncertainty, 0.85 * age_sd * std::abs(change));
    }
  }
}

// Rounding of a steady level is the same in every reading; noise of more than a step undoes that.
TEST(CourseWindow, StepsOfReadingsStayWhereNothingScattersThem) {
  for (const double noise : {0.0, 2.0}) {
    double most = 0.0;
    for (const double level : {101.05, 101.25, 101.45}) {
      const TestProgram program{.idle_w = 23, .length = 12, .work = {{1.0, 11.0, level}}};
      const TestSensor sensor{{SourceKind::power_instant, Scope::gpu},
                              {.update_period = Seconds(0.1), .averaging_window = Seconds(0.1)},
                              0.0,
                              noise,
                              1.0};
      std::mt19937_64 rng(7);
      const Profile profile = profile_of({sensor});
      ObservedBoard board = observe(record(program, {sensor}, rng), {.profile = &profile});
      const double shift = seconds_between(program_begin(), board.origin);
      const CourseEnergy energy = EnergyCourse(std::move(board), {}).energy({3 - shift, 9 - shift});
      const auto is_quantum = [](const auto& term) {
        return term.cause == uncertainty::Cause::quantum;
      };
      const auto term = std::find_if(energy.budget.begin(), energy.budget.end(), is_quantum);
      const double off = std::abs(energy.joules - 6 * level);
      EXPECT_LT(off, 2 * energy.standard_uncertainty) << noise << " " << level;
      most = std::max(most, off);
      if (noise > 0) {
        EXPECT_TRUE(term == energy.budget.end() || term->u < 0.02) << level;
      } else {
        ASSERT_NE(term, energy.budget.end());
        EXPECT_NEAR(term->u, 6 / std::sqrt(12.0), 1e-6);
      }
    }
    if (noise == 0.0) {
      EXPECT_GT(most, 2.0) << "this test shows nothing";
    }
  }
}

// What a filter that nobody named makes of a neighbour's power may be all of a shorter window's.
TEST(CourseWindow, ShorterThanAFilterThatMayBeThereIsNotResolved) {
  ObservedSource source{.source = {SourceKind::power_instant, Scope::gpu},
                        .period = 0.02,
                        .time_constant = 0.1,
                        .scatter = 0.1,
                        .lag_sd = 0.05};
  for (int i = 0; i < 500; ++i) {
    const double power = i / 100 % 2 == 1 ? 300.0 : 100.0;
    source.readings.push_back({.time = 0.02 * i, .time_sd = 1e-4, .value = power});
  }
  ObservedBoard board{.lowest_w = 99.0, .highest_w = 300.0, .limit_w = 450.0, .sources = {source}};
  const EnergyCourse unnamed(board, {});
  EXPECT_TRUE(unnamed.energy({2.9, 3.08}).below_resolution);
  EXPECT_FALSE(unnamed.energy({2.9, 3.12}).below_resolution);
  board.sources.front().is_characterized = true;
  EXPECT_FALSE(EnergyCourse(board, {}).energy({2.9, 3.08}).below_resolution);
}

}  // namespace
}  // namespace truewatt::energy
