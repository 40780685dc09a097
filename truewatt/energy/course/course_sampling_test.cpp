#include <gtest/gtest.h>

#include <cmath>
#include <functional>
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

/// 40 pulses from second 2 on, on a board that comes up behind a filter.
struct RisingPulses {
  double rise = 0.02;     ///< s
  double fraction = 1.0;  ///< of a step that comes so late
  double on = 0.04;
  double period = 0.1;
  double phase = 0.0;  ///< of the period
};

/// By what the energy is off of pulses that are known, beside its standard uncertainty.
struct Off {
  double joules = 0.0;
  double u = 0.0;
  double truth = 0.0;
};

/// `change` tells more of the board, or less, than its sensors do.
Off off_of(const RisingPulses& pulses, const std::vector<TestSensor>& sensors,
           const std::function<void(ObservedBoard&)>& change) {
  constexpr double kPiece = 0.001;
  TestProgram program{.idle_w = 60.0, .length = 8.0};
  CourseHints hints;
  for (int pulse = 0; pulse < 40; ++pulse) {
    const double begin = 2.0 + pulses.period * (pulse + pulses.phase);
    hints.work.push_back({begin, begin + pulses.on, 0});
    for (double t = 0.0; t < pulses.on - kPiece / 2; t += kPiece) {
      const double risen = 1 - pulses.fraction * std::exp(-(t + kPiece / 2) / pulses.rise);
      const double from = program.work.empty() ? begin : std::max(begin, program.work.back().end);
      program.work.push_back({from, begin + t + kPiece, 60.0 + 240.0 * risen});
    }
  }
  std::mt19937_64 rng(1);
  const Recording recording = record(program, sensors, rng);
  const Profile profile = profile_of(sensors);
  ObservedBoard board = observe(recording, {.profile = &profile});
  change(board);
  const double shift = seconds_between(program_begin(), board.origin);
  for (CourseHints::Work& work : hints.work) {
    work.begin -= shift;
    work.end -= shift;
  }
  const EnergyCourse course(std::move(board), hints);
  const double end = 2.2 + 40 * pulses.period;
  const CourseEnergy energy = course.energy({2.0 - shift, end - shift});
  const double truth = program.energy(2.0, end);
  return {energy.joules - truth, energy.standard_uncertainty, truth};
}

/// ... in standard uncertainties, of pulses in step with a sensor that looks for 25 of 100 ms.
double off_in_step(double phase, const std::vector<BoardDecay>& rise) {
  const Off off = off_of({.phase = phase}, sensors_of("a100"),
                         [&](ObservedBoard& board) { board.rise = rise; });
  return off.joules / off.u;
}

/// A look of a millisecond without a filter, every 8.3 ms, at pulses that the board rises through:
/// what it shows changes within the look's own length, and with an edge in it is part of both.
TEST(CourseSampling, ShortLooksAtABoardThatRisesThroughItsPulses) {
  TestSensor sensor{.source = {SourceKind::power_instant, Scope::gpu}, .bracket = 0.0004};
  sensor.model.update_period = Seconds(0.00834);
  sensor.model.averaging_window = Seconds(0.001);
  sensor.model.delay = Seconds(0.034);
  for (const double period : {0.0333, 0.0453}) {
    const Off off = off_of({.rise = 0.0087, .fraction = 0.63, .on = 0.017, .period = period},
                           {sensor}, [](ObservedBoard& board) {
                             board.rise = {{0.63, 0.03, 0.0087}};
                           });
    EXPECT_LT(std::abs(off.joules), 0.005 * off.truth) << period;
    EXPECT_LT(std::abs(off.joules), 2.5 * off.u) << period;
  }
}

/// A poll that came late by nearly a period: a reading that saw a pulse is placed beside it, and
/// how steep the power is there says nothing of what it may be off by.
TEST(CourseSampling, AReadingOfAnUnknownTimeIsNotHeldAgainstKnownPulses) {
  TestSensor sensor{.source = {SourceKind::power_instant, Scope::gpu}, .bracket = 0.0004};
  sensor.model.update_period = Seconds(0.02565);
  sensor.model.averaging_window = Seconds(0.00345);
  const auto delayed = [](ObservedBoard& board) {
    ObservedSource& source = board.sources.front();
    for (ObservedReading& reading : source.readings) {
      if (reading.value < 290 || reading.time < 3.0) continue;
      reading.time += 0.012;
      reading.time_sd = 0.0068;
      break;
    }
  };
  for (const auto& [period, on] : {std::pair{0.02616, 0.012}, {0.0402, 0.016}}) {
    const RisingPulses pulses{.fraction = 0.0, .on = on, .period = period};
    const Off off = off_of(pulses, {sensor}, delayed);
    const Off undisturbed = off_of(pulses, {sensor}, [](ObservedBoard&) {});
    EXPECT_NEAR(off.joules, undisturbed.joules, 0.1) << period;
    EXPECT_LT(off.u, 1.1 * undisturbed.u) << period;
    EXPECT_LT(std::abs(off.joules), 2.5 * off.u) << period;
  }
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
