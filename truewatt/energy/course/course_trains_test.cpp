// Steps of one name back to back, whose joules are known in closed form.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

constexpr double kCoverage = 1.96;
constexpr int kSteps = 120;

/// A program, its steps and what is seen of it.
struct Train {
  TestProgram program;
  std::vector<CourseWindow> steps;
  Recording recording;
  Profile profile;
};

/// Steps of 1.9 periods: 400 W above an idle of 80 W in 0.7 of each, times 1 and a scatter.
Train train_of(const std::string& kind, double scatter, std::uint64_t seed, double periods = 1.9,
               int steps = kSteps) {
  std::mt19937_64 rng(seed);
  std::normal_distribution<double> normal;
  const auto sensors = sensors_of(kind);
  const double length = periods * sensors.front().model.update_period.count();
  Train train{.program = {.idle_w = 80, .length = 2 + steps * length}};
  for (int i = 0; i < steps; ++i) {
    const double begin = 1.0 + i * length;
    const double level = 80 + 400 * std::max(0.1, 1 + scatter * normal(rng));
    train.program.work.push_back({begin, begin + 0.7 * length, level});
    train.steps.push_back({begin, begin + length});
  }
  train.recording = record(train.program, sensors, rng);
  train.profile = profile_of(sensors);
  return train;
}

/// As many windows of one length, of a program that repeats nothing.
Train windows_alike(const std::string& kind, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  const auto sensors = sensors_of(kind);
  const double length = 1.9 * sensors.front().model.update_period.count();
  Train train{.program = random_program(rng, 2 + kSteps * length)};
  for (int i = 0; i < kSteps; ++i) {
    train.steps.push_back({1.0 + i * length, 1.0 + (i + 1) * length});
  }
  train.recording = record(train.program, sensors, rng);
  train.profile = profile_of(sensors);
  return train;
}

struct Found {
  double covered = 0.0;      ///< share of the steps
  double half_width = 0.0;   ///< median, of a step's energy
  double largest_off = 0.0;  ///< of a step's energy
};

Found found(const Train& train, bool is_named) {
  const Knowledge knowledge{.profile = &train.profile};
  ObservedBoard board = observe(train.recording, knowledge);
  const double shift = seconds_between(program_begin(), board.origin);
  CourseHints hints;
  for (const CourseWindow& step : train.steps) {
    hints.marks.push_back(step.begin - shift);
    hints.marks.push_back(step.end - shift);
    if (is_named) hints.steps.push_back({step.begin - shift, step.end - shift, 0});
  }
  const EnergyCourse course(std::move(board), std::move(hints));
  Found found;
  std::vector<double> halves;
  for (const CourseWindow& step : train.steps) {
    const CourseEnergy energy = course.energy({step.begin - shift, step.end - shift});
    const double truth = train.program.energy(step.begin, step.end);
    const double half = kCoverage * energy.standard_uncertainty;
    const double off = std::abs(energy.joules - truth);
    found.covered += (off <= half ? 1.0 : 0.0) / static_cast<double>(train.steps.size());
    found.largest_off = std::max(found.largest_off, off / truth);
    halves.push_back(half / truth);
  }
  const auto middle = halves.begin() + static_cast<std::ptrdiff_t>(halves.size() / 2);
  std::nth_element(halves.begin(), middle, halves.end());
  found.half_width = *middle;
  return found;
}

// 80 W and 0.7 of 400 W; that a name is no evidence: without it, the same steps are five times as
// uncertain.
TEST(Trains, EqualStepsAreToldByTheShapeThatTheyShare) {
  for (const char* kind : {"h200", "a100+counter"}) {
    const Train train = train_of(kind, 0.0, 4);
    const double length = train.steps.front().end - train.steps.front().begin;
    const double truth = (80 + 0.7 * 400) * length;
    EXPECT_NEAR(train.program.energy(1.0, 1.0 + length), truth, 1e-9 * truth);
    const Found with = found(train, true);
    EXPECT_LE(with.largest_off, 0.03) << kind;
    EXPECT_LE(with.half_width, 0.03) << kind;
    EXPECT_GE(found(train, false).half_width, 5 * with.half_width) << kind;
  }
}

TEST(Trains, StepsThatScatterAreCovered) {
  for (const double scatter : {0.0, 0.05, 0.2}) {
    double covered = 0.0;
    int count = 0;
    for (const char* kind : {"h200", "a100+counter", "boxcar"}) {
      covered += found(train_of(kind, scatter, 1), true).covered;
      ++count;
    }
    EXPECT_GE(covered / count, 0.93) << scatter;
  }
}

// How much steps of a long train deviate is told by those in its middle.
TEST(Trains, ALongOneIsToldByASampleOfIt) {
  const Found with = found(train_of("h200", 0.05, 1, 1.9, 700), true);
  EXPECT_LE(with.half_width, 0.05);
  EXPECT_GE(with.covered, 0.93);
}

// A sensor that looks at 25 of 100 ms sees as much of steps of 100 ms and nothing of the rest.
TEST(Trains, WhatNoReadingOfAnyStepLooksAtStaysOpen) {
  for (const std::uint64_t seed : {1U, 2U}) {
    const Found with = found(train_of("a100", 0.0, seed, 1.0), true);
    EXPECT_GE(with.half_width, 0.3) << seed;
    EXPECT_GE(with.covered, 0.93) << seed;
  }
}

// What only shares a name and a length is not believed to share more.
TEST(Trains, WindowsThatShareANameAloneStayAsTheyWere) {
  for (const char* kind : {"h200", "boxcar"}) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const Train train = windows_alike(kind, seed);
      const Found with = found(train, true);
      const Found without = found(train, false);
      EXPECT_GE(with.covered, 0.93) << kind << seed;
      EXPECT_DOUBLE_EQ(with.half_width, without.half_width) << kind << seed;
    }
  }
}

}  // namespace
}  // namespace truewatt::energy
