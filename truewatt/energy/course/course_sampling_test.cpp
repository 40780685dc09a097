#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

/// A counter that adds up samples a millisecond apart behind a filter of 13 ms, `phase` of one
/// after a whole second, of 200 pulses of 2.5 ms every `every` seconds; it is known to leave
/// nothing out.
CourseEnergy by_sampling_counter(double phase, double every) {
  constexpr double kPeriod = 0.1;
  constexpr double kSample = 1e-3;
  constexpr double kFilter = 0.013;
  ObservedSource counter{.source = {SourceKind::energy_counter, Scope::gpu},
                         .look = Look::counter,
                         .period = kPeriod,
                         .time_constant = kFilter,
                         .scatter = 0.001,
                         .is_characterized = true,
                         .integrates = true,
                         .sampled_every = kSample};
  CourseHints hints;
  for (int pulse = 0; pulse < 200; ++pulse) {
    hints.work.push_back({2.0 + every * pulse, 2.0 + every * pulse + 0.0025, 0});
  }
  double shown = 60.0;
  double before = 0.0;
  double counted = 0.0;
  auto work = hints.work.begin();
  const auto follow = [&](double until, double power) {
    shown = power + (shown - power) * std::exp(-(until - before) / kFilter);
    before = until;
  };
  for (int i = 0; i < 6000; ++i) {
    const double time = kSample * (i + phase);
    for (; work != hints.work.end() && work->end < time; ++work) {
      if (before < work->begin) follow(work->begin, 60.0);
      follow(work->end, 400.0);
    }
    if (work != hints.work.end() && work->begin < time) {
      if (before < work->begin) follow(work->begin, 60.0);
      follow(time, 400.0);
    } else {
      follow(time, 60.0);
    }
    counted += shown * kSample;
    if (i % 100 != 99) continue;
    const bool is_first = counter.readings.empty();
    counter.readings.push_back({.time = time + kSample / 2,
                                .time_sd = 1e-5,
                                .value = is_first ? 0.0 : counted,
                                .is_first = is_first});
    counted = 0.0;
  }
  const EnergyCourse course({.lowest_w = 60.0, .limit_w = 500.0, .sources = {counter}}, hints);
  return course.energy({2.0, 2.0 + every * 200});
}

TEST(CourseSampling, PulsesInStepWithACountersSamplesAreAsOpenAsThoseLeaveThem) {
  const double pulses = 200 * 0.0025 * 340;
  double most = 0.0;
  for (const double phase : {0.05, 0.3, 0.55, 0.8}) {
    const CourseEnergy locked = by_sampling_counter(phase, 0.005);
    const double off = std::abs(locked.joules - (60.0 + pulses));
    EXPECT_LT(off, 2 * locked.standard_uncertainty) << phase;
    most = std::max(most, off / pulses);
    const CourseEnergy free = by_sampling_counter(phase, 0.005 * 1.0618);
    EXPECT_NEAR(free.joules, 60.0 * 1.0618 + pulses, 2 * free.standard_uncertainty) << phase;
    EXPECT_LT(free.standard_uncertainty, locked.standard_uncertainty / 2);
  }
  EXPECT_GT(most, 0.001) << "this test shows nothing";
}

/// By how many standard uncertainties the energy of 40 pulses is off that are in step with a sensor
/// which looks for 25 of 100 ms, on a board that comes up behind 20 ms, if `rise` is known of
/// that; they begin at `phase` of the sensor's period.
double off_in_step(double phase, std::vector<BoardDecay> rise) {
  constexpr double kRise = 0.02;
  constexpr double kPiece = 0.001;
  constexpr double kOn = 0.04;
  TestProgram program{.idle_w = 60.0, .length = 8.0};
  CourseHints hints;
  for (int pulse = 0; pulse < 40; ++pulse) {
    const double begin = 2.0 + 0.1 * (pulse + phase);
    hints.work.push_back({begin, begin + kOn, 0});
    for (double t = 0.0; t < kOn - kPiece / 2; t += kPiece) {
      const double risen = 1 - std::exp(-(t + kPiece / 2) / kRise);
      const double from = program.work.empty() ? begin : std::max(begin, program.work.back().end);
      program.work.push_back({from, begin + t + kPiece, 60.0 + 240.0 * risen});
    }
  }
  const auto sensors = sensors_of("a100");
  std::mt19937_64 rng(1);
  const Recording recording = record(program, sensors, rng);
  const Profile profile = profile_of(sensors);
  ObservedBoard board = observe(recording, {.profile = &profile});
  board.rise = std::move(rise);
  const double shift = seconds_between(program_begin(), board.origin);
  for (CourseHints::Work& work : hints.work) {
    work.begin -= shift;
    work.end -= shift;
  }
  const EnergyCourse course(std::move(board), hints);
  const CourseEnergy energy = course.energy({2.0 - shift, 6.2 - shift});
  return (energy.joules - program.energy(2.0, 6.2)) / energy.standard_uncertainty;
}

TEST(CourseSampling, WorkInStepOnABoardThatRisesSlowlyIsHeldByTheInterval) {
  // The sensor sees more than the first of a rise from these phases on.
  for (const double phase : {0.5, 0.6, 0.7, 0.8}) {
    EXPECT_LT(std::abs(off_in_step(phase, {{0.6, 0.3, 0.02}})), 2.3) << phase;
  }
  // From 0.6 on it sees enough of it to tell a shape that is known.
  for (const double phase : {0.6, 0.7, 0.8}) {
    EXPECT_LT(std::abs(off_in_step(phase, {{1.0, 0.03, 0.02}})), 1.5) << phase;
  }
  for (const double phase : {0.5, 0.6, 0.7}) EXPECT_GT(off_in_step(phase, {}), 3.0) << phase;
}

}  // namespace
}  // namespace truewatt::energy
