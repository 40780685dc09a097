#include "truewatt/energy/course/energy_course.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>

#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

/// A program of a seed, what is seen of it, and its course.
struct Seen {
  TestProgram program;
  Recording recording;
  double shift = 0.0;  ///< s, of the board's axis
  EnergyCourse course;
  double truth(const CourseWindow& window) const {
    return program.energy(window.begin + shift, window.end + shift);
  }
};

Seen seen(const std::string& kind, std::uint64_t seed, bool characterized = true) {
  std::mt19937_64 rng(seed);
  TestProgram program = random_program(rng);
  const auto sensors = sensors_of(kind);
  Recording recording = record(program, sensors, rng);
  const Profile profile = profile_of(sensors);
  Knowledge knowledge;
  if (characterized) knowledge.profile = &profile;
  ObservedBoard board = observe(recording, knowledge);
  const double shift = seconds_between(program_begin(), board.origin);
  EnergyCourse course(std::move(board), {});
  return {std::move(program), std::move(recording), shift, std::move(course)};
}

constexpr const char* kKinds[] = {"h200", "ring", "a100", "a100+counter", "boxcar", "average"};

TEST(EnergyCourse, PartsSumToTheWhole) {
  for (const char* kind : kKinds) {
    const Seen one = seen(kind, 3);
    const CourseWindow whole{1.0, 17.0};
    double sum = 0.0;
    for (double t = whole.begin; t < whole.end - 1e-9; t += 0.25) {
      sum += one.course.energy({t, t + 0.25}).joules;
    }
    EXPECT_NEAR(sum, one.course.energy(whole).joules, 1e-6 * sum) << kind;
  }
}

// Readings that leap where a filter of 0.6 s lets none: no course of a board explains two sources.
TEST(EnergyCourse, OfReadingsThatNoBoardMakesIsImpossible) {
  for (const bool leaps : {false, true}) {
    ObservedBoard board{.lowest_w = 100.0, .highest_w = 300.0, .limit_w = 450.0};
    for (const SourceKind kind : {SourceKind::power_instant, SourceKind::power_usage}) {
      ObservedSource source{.source = {kind, Scope::gpu},
                            .period = 0.06,
                            .time_constant = 0.6,
                            .scatter = 0.3,
                            .gain_sd = 0.01,
                            .offset_sd = 1.0,
                            .is_characterized = true};
      double shown = 100.0;
      for (int i = 0; i < 200; ++i) {
        const double power = i / 20 % 2 == 1 ? 300.0 : 100.0;
        shown = leaps ? power : power + (shown - power) * std::exp(-0.1);
        source.readings.push_back({.time = 0.06 * i, .time_sd = 1e-4, .value = shown});
      }
      board.sources.push_back(source);
    }
    const EnergyCourse course(std::move(board), {});
    const CourseWindow window{2.0, 9.0};
    EXPECT_EQ(course.is_impossible(window, course.energy(window)), leaps);
    CourseEnergy more = course.energy(window);
    more.joules += 500.0 * 7.0;
    EXPECT_TRUE(course.is_impossible(window, more));
  }
}

// Clocks of logs leap: thirty years without a reading take no more room than a cell.
TEST(EnergyCourse, LeavesOutYearsWithoutReadings) {
  constexpr double kYears = 1e9;  // s
  ObservedSource source{.source = {SourceKind::power_instant, Scope::gpu},
                        .period = 1e-3,
                        .window = 1e-3,
                        .scatter = 0.1};
  for (const double begin : {0.0, kYears}) {
    for (int i = 0; i < 1000; ++i) {
      source.readings.push_back({.time = begin + 1e-3 * i, .time_sd = 1e-6, .value = 200.0});
    }
  }
  const EnergyCourse course({.lowest_w = 100.0, .limit_w = 450.0, .sources = {source}}, {});
  for (const double begin : {0.0, kYears}) {
    EXPECT_NEAR(course.energy({begin + 0.25, begin + 0.75}).joules, 100.0, 1.0);
  }
}

/// Joules until a time of work that repeats every `period` seconds, the first 0.4 of it at 300 W
/// and the rest at 100.
double worked_until(double t, double period) {
  const double repeats = std::floor(t / period);
  return 100 * t + 200 * (repeats * 0.4 * period + std::min(0.4 * period, t - repeats * period));
}

/// A ring's readings a second long, sums of about 3.34 s from then on, and readings again.
ObservedSource condensed_ring(double period, int sums) {
  constexpr double kEvery = 0.02;
  constexpr double kOrigin = 1e3;
  constexpr double kDelay = 1e-7;  // less than counts, and its rounding is another one each time
  ObservedSource ring{.source = {SourceKind::power_samples, Scope::gpu},
                      .period = kEvery,
                      .scatter = 0.1,
                      .gain_sd = 0.01,
                      .offset_sd = 1.0,
                      .is_characterized = true};
  double before = kOrigin;
  const auto add = [&](double time, bool is_sum) {
    const double mean =
        (worked_until(time, period) - worked_until(before, period)) / (time - before);
    ring.readings.push_back({.time = time - kDelay, .time_sd = 1e-5, .value = mean});
    if (is_sum) {
      ring.readings.back().span = time - before;
      ring.readings.back().span_sd = 0.02;
    }
    before = time;
  };
  for (int i = 1; i <= 50; ++i) add(kOrigin + kEvery * i, false);
  for (int i = 1; i <= sums; ++i) add(kOrigin + 1 + 10.019 * i / 3.0, true);
  for (int i = 1; i <= 50; ++i) add(kOrigin + 1 + 10.019 * sums / 3.0 + kEvery * i, false);
  return ring;
}

// Sums in a row begin where those before end, which rounding puts a little before or behind it.
TEST(EnergyCourse, TakesSumsInARowForWhatTheyAre) {
  const ObservedSource ring = condensed_ring(23.7, 300);
  const EnergyCourse course({.lowest_w = 90.0, .limit_w = 450.0, .sources = {ring}}, {});
  EXPECT_LT(course.fits()[0].misfit, 2.0);
  for (const ObservedReading& sum : ring.readings) {
    if (sum.span > 0) {
      EXPECT_NEAR(course.mean_power(sum.time - sum.span, sum.time), sum.value, 0.1) << sum.time;
    }
  }
}

// What a counter's readings tell of the inside of a ring's sum.
TEST(EnergyCourse, TellsTheInsideOfASumByOtherReadings) {
  constexpr double kPeriod = 8.3;
  ObservedSource counter{.source = {SourceKind::energy_counter, Scope::gpu},
                         .look = Look::counter,
                         .period = 0.1,
                         .scatter = 1e-3,
                         .is_characterized = true,
                         .integrates = true};
  for (int i = 0; i < 102; ++i) {
    const double time = 1000.2 + i;
    const double joules = worked_until(time, kPeriod) - worked_until(time - 1, kPeriod);
    counter.readings.push_back(
        {.time = time, .time_sd = 1e-4, .value = i == 0 ? 0.0 : joules, .is_first = i == 0});
  }
  const ObservedSource ring = condensed_ring(kPeriod, 30);
  const EnergyCourse course({.lowest_w = 90.0, .limit_w = 450.0, .sources = {counter, ring}}, {});
  EXPECT_NEAR(course.longest_cell({1022.0, 1028.0}), 1.0, 1e-6);
  for (double begin = 1010.2; begin < 1090; begin += 7) {
    const double truth = worked_until(begin + 5, kPeriod) - worked_until(begin, kPeriod);
    EXPECT_NEAR(course.energy({begin, begin + 5}).joules, truth, 0.5) << begin;
  }
}

TEST(EnergyCourse, DoesNotDependOnWhichWindowsWereAsked) {
  const Seen one = seen("h200", 5);
  const CourseWindow window{4.0, 7.3};
  const double before = one.course.energy(window).joules;
  for (int i = 0; i < 1000; ++i) one.course.energy({0.01 * i, 0.01 * i + 0.5});
  EXPECT_EQ(one.course.energy(window).joules, before);
}

TEST(EnergyCourse, WeighsWindowsAsTheirSumDoes) {
  const Seen one = seen("a100+counter", 7);
  const CourseWindow windows[] = {{2.0, 5.0}, {5.0, 9.0}};
  const double weights[] = {1.0, 1.0};
  const CourseEnergy both = one.course.weighted_sum(windows, weights);
  const CourseEnergy whole = one.course.energy({2.0, 9.0});
  EXPECT_NEAR(both.joules, whole.joules, 1e-9 * whole.joules);
  EXPECT_NEAR(both.standard_uncertainty, whole.standard_uncertainty,
              1e-6 * whole.standard_uncertainty);
}

TEST(EnergyCourse, BudgetSumsToTheVariance) {
  for (const char* kind : kKinds) {
    const CourseEnergy energy = seen(kind, 11).course.energy({3.0, 8.0});
    double variance = 0.0;
    for (const uncertainty::Term& term : energy.budget) variance += term.u * term.u;
    EXPECT_NEAR(std::sqrt(variance), energy.standard_uncertainty, 1e-9) << kind;
  }
}

TEST(EnergyCourse, FollowsScaleOfItsReadings) {
  const Seen one = seen("boxcar", 13);
  ObservedBoard doubled = one.course.board();
  for (ObservedSource& source : doubled.sources) {
    source.scatter *= 2;
    for (ObservedReading& reading : source.readings) reading.value *= 2;
  }
  doubled.lowest_w *= 2;
  doubled.limit_w *= 2;
  const EnergyCourse course(std::move(doubled), {});
  const CourseEnergy once = one.course.energy({3.0, 9.0});
  const CourseEnergy twice = course.energy({3.0, 9.0});
  EXPECT_NEAR(twice.joules / once.joules, 2.0, 0.002);
}

TEST(EnergyCourse, ASourceThatAgreesWidensNoInterval) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    std::mt19937_64 rng(seed);
    const TestProgram program = random_program(rng);
    const auto sensors = sensors_of("a100+counter");
    const Recording recording = record(program, sensors, rng);
    const Profile profile = profile_of(sensors);
    const Knowledge knowledge{.profile = &profile};
    const EnergyCourse both(observe(recording, knowledge), {});
    for (const TestSensor& sensor : sensors) {
      const EnergyCourse alone(observe(recording, knowledge, sensor.source), {});
      for (const CourseWindow window : {CourseWindow{2.0, 5.0}, CourseWindow{4.0, 16.0}}) {
        EXPECT_LT(both.energy(window).standard_uncertainty,
                  1.1 * alone.energy(window).standard_uncertainty)
            << to_string(sensor.source) << " seed " << seed;
      }
    }
  }
}

/// Share of windows cut anywhere that hold the truth.
double covered(const char* kind, bool characterized) {
  int held = 0;
  int told = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Seen one = seen(kind, seed, characterized);
    std::mt19937_64 rng(seed + 100);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    for (int i = 0; i < 25; ++i) {
      const double begin = 0.5 + 17 * unit(rng);
      const CourseWindow window{begin, begin + 0.01 * std::pow(150.0, unit(rng))};
      const CourseEnergy energy = one.course.energy(window);
      ++told;
      held += std::abs(energy.joules - one.truth(window)) <=
              kCoverageFactor95 * energy.standard_uncertainty;
    }
  }
  return static_cast<double>(held) / told;
}

TEST(EnergyCourse, CoversWindowsCutAnywhere) {
  for (const char* kind : kKinds) {
    EXPECT_GT(covered(kind, true), 0.93) << kind;
    EXPECT_GT(covered(kind, false), 0.93) << kind << ", uncharacterized";
  }
}

TEST(EnergyCourse, TellsWorkOfAKnownLevelToAPerMille) {
  TestProgram program{.idle_w = 60.0, .length = 9.0};
  CourseHints hints;
  for (double t = 2.0; t < 6.0; t += 0.173) {
    program.work.push_back({t, t + 0.08, 360.0});
    hints.work.push_back({t, t + 0.08, 0});
  }
  const auto sensors = sensors_of("h200");
  std::mt19937_64 rng(1);
  const Recording recording = record(program, sensors, rng);
  const Profile profile = profile_of(sensors);
  ObservedBoard board = observe(recording, {.profile = &profile});
  const double shift = seconds_between(program_begin(), board.origin);
  for (CourseHints::Work& work : hints.work) {
    work.begin -= shift;
    work.end -= shift;
  }
  const EnergyCourse course(std::move(board), hints);
  const double truth = program.energy(2.0, 6.0);
  const CourseEnergy energy = course.energy({2.0 - shift, 6.0 - shift});
  EXPECT_NEAR(energy.joules, truth, 0.001 * truth);
  EXPECT_LT(energy.standard_uncertainty, 0.001 * truth);
}

// A board that slept wakes before the work: that is no fault of the readings, by which the level of
// the work could be anything.
TEST(EnergyCourse, KnowsWorkOnABoardThatJustWoke) {
  TestProgram program{.idle_w = 60.0, .length = 8.0};
  CourseHints hints;
  double awake_until = 1.5;
  for (double t = 3.0; t < 4.5; t += 0.277) {
    program.work.push_back({awake_until, t, 105.0});
    program.work.push_back({t, t + 0.1, 300.0});
    hints.work.push_back({t, t + 0.1, 0});
    awake_until = t + 0.1;
  }
  program.work.push_back({awake_until, 6.0, 105.0});
  const auto sensors = sensors_of("a100");
  std::mt19937_64 rng(1);
  const Recording recording = record(program, sensors, rng);
  const Profile profile = profile_of(sensors);
  ObservedBoard board = observe(recording, {.profile = &profile});
  const double shift = seconds_between(program_begin(), board.origin);
  for (CourseHints::Work& work : hints.work) {
    work.begin -= shift;
    work.end -= shift;
  }
  const EnergyCourse course(std::move(board), hints);
  const double truth = program.energy(3.0, 4.5);
  const CourseEnergy energy = course.energy({3.0 - shift, 4.5 - shift});
  EXPECT_NEAR(energy.joules, truth, 2 * energy.standard_uncertainty);
  EXPECT_LT(energy.standard_uncertainty, 0.01 * truth);
}

/// The energy of half a second of work by a counter that adds up means over its period, if that is
/// known of it or not.
CourseEnergy by_blurred_counter(double phase, bool is_known) {
  constexpr double kPeriod = 0.1;
  constexpr int kParts = 200;
  const auto integral = [](double t) { return 30 * t + 350 * std::clamp(t - 2.2, 0.0, 0.5); };
  ObservedSource counter{.source = {SourceKind::energy_counter, Scope::gpu},
                         .look = Look::counter,
                         .period = kPeriod,
                         .scatter = 0.001,
                         .is_characterized = true,
                         .blur = is_known ? kPeriod : 0.0};
  for (int i = 0; i < 50; ++i) {
    const double time = kPeriod * (i + phase);
    double joules = 0.0;
    for (int part = 0; part < kParts; ++part) {
      joules += integral(time + kPeriod * ((part + 0.5) / kParts - 0.5)) / kParts;
    }
    counter.readings.push_back(
        {.time = time, .time_sd = 1e-5, .value = joules, .is_first = i == 0});
  }
  for (std::size_t i = counter.readings.size() - 1; i > 0; --i) {
    counter.readings[i].value -= counter.readings[i - 1].value;
  }
  const EnergyCourse course({.lowest_w = 29.0, .limit_w = 500.0, .sources = {counter}},
                            {.work = {{2.2, 2.7, 0}}});
  return course.energy({2.2, 2.7});
}

TEST(EnergyCourse, ACounterOfMeansSeesWorkBeforeItBeginsAndAfterItEnded) {
  const double truth = 0.5 * 380;
  for (const double phase : {0.1, 0.35, 0.6, 0.85}) {
    const CourseEnergy known = by_blurred_counter(phase, true);
    EXPECT_NEAR(known.joules, truth, 0.001 * truth) << phase;
    EXPECT_NEAR(known.joules, truth, 2 * known.standard_uncertainty) << phase;
  }
  EXPECT_GT(std::abs(by_blurred_counter(0.85, false).joules - truth), 0.005 * truth);
}

}  // namespace
}  // namespace truewatt::energy
