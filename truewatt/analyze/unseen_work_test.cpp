// A recording never makes a result resolved where nothing was seen: sensors that miss the work,
// other programs' work beside it, readings too few or too coarse to tell anything. What is asked
// for is a window, of which nobody says what ran in it, or the stamps of a load. Nobody
// characterized the sensor. Gain and offset count as known, so that an interval is what the
// dynamics leave open.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <tuple>
#include <utility>

#include "truewatt/analyze/analyze.hpp"
#include "truewatt/testing/random_program.hpp"
#include "truewatt/testing/test_folder.hpp"

namespace truewatt::analyze {
namespace {

using energy::TestProgram;
using energy::TestSensor;

constexpr SourceId kShown{SourceKind::power_instant, Scope::gpu};
constexpr SourceId kAveraged{SourceKind::power_average, Scope::gpu};
constexpr double kLag = 0.84;  // s, of a K20's capacitor

/// A sensor that looks `window` of every `period` seconds behind a filter of `lag`. An average over
/// several periods is what the driver calls one.
TestSensor looking(double window, double period, double lag = 0.0) {
  return {window > period ? kAveraged : kShown,
          {.update_period = Seconds(period),
           .averaging_window = Seconds(window),
           .time_constant = Seconds(lag),
           .delay = Seconds(0.004)},
          0.0,
          0.1,
          0.01};
}

HostTime seconds(double t) { return energy::program_begin() + to_nanoseconds(Seconds(t)); }

/// What is seen of a program, and the window that is asked for, in seconds of the program.
struct Seen {
  TestProgram program;
  Recording recording;
  double begin = 0.0;
  double end = 0.0;

  double truth() const { return program.energy(begin, end); }
};

Seen seen(TestProgram program, const TestSensor& sensor, double begin, double end,
          std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  Recording recording = energy::record(program, {sensor}, rng);
  recording.windows = {{seconds(begin), seconds(end), "load"}};
  return {std::move(program), std::move(recording), begin, end};
}

energy::Knowledge metered() {
  energy::Knowledge knowledge;
  for (const SourceId source : {kShown, kAveraged}) {
    knowledge.calibrations.push_back({.source = source,
                                      .gain = {1.0, 1.0 - 1e-6, 1.0 + 1e-6, 0.95},
                                      .offset_w = {0.0, -1e-6, 1e-6, 0.95}});
  }
  return knowledge;
}

/// What `analyze` tells of a log with a window: by its readings alone.
energy::EnergyEstimate by_readings(const Seen& of) {
  return energy::estimate_energy(of.recording, of.recording.windows.at(0), metered());
}

/// ... where a load's own stamps say that it ran all through the window ...
energy::EnergyEstimate by_stamp(Seen of) {
  const Window& window = of.recording.windows.at(0);
  of.recording.activity = {{window.begin, window.end, {.level = 1.0}}};
  return by_readings(of);
}

/// ... or when each of its pulses ran.
energy::EnergyEstimate by_stamps(Seen of) {
  for (const TestProgram::Work& work : of.program.work) {
    of.recording.activity.push_back({seconds(work.begin), seconds(work.end), {.level = 1.0}});
  }
  return by_readings(of);
}

bool holds_truth(const energy::EnergyEstimate& told, const Seen& of) {
  const Interval& energy = told.energy->interval;
  return energy.lower <= of.truth() && of.truth() <= energy.upper;
}

TestProgram train(double period, double on) {
  TestProgram program{.idle_w = 60, .length = 10.0};
  for (int i = 0; i * period < 4.0 - 1e-9; ++i) {
    program.work.push_back({3.0 + i * period, 3.0 + i * period + on, 360});
  }
  return program;
}

double highest_of(const Recording& recording) {
  double highest = 0.0;
  for (const Sample& sample : recording.traces.at(0).samples) {
    highest = std::max(highest, sample.value);
  }
  return highest;
}

// Work of 40 % of each update period, in step with it, of which a sensor that looks a quarter or
// half of the time sees none, some or all.
TEST(UnseenWork, DoesNotResolveATrainInStepWithAPartTimeSensor) {
  int unseen = 0;
  for (const auto& [window, period, lag] :
       {std::tuple{0.025, 0.1, 0.0}, {0.02, 0.1, 0.0}, {0.01, 0.02, 0.0}, {0.0, 0.1, 0.013}}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const Seen of =
          seen(train(period, 0.4 * period), looking(window, period, lag), 3.0, 7.0, seed);
      const double above_idle = highest_of(of.recording) - of.program.idle_w;
      if (above_idle < 1.0) ++unseen;
      for (const auto& told : {by_stamps(of), by_readings(of)}) {
        EXPECT_FALSE(told.resolved) << window << " of " << period << " s, seed " << seed;
        EXPECT_THAT(told.reasons, testing::Contains(energy::Reason::phase_lock_not_excluded));
      }
    }
  }
  EXPECT_GE(unseen, 6) << "the case that matters has to be among them";
}

/// 1.5 to 5 s of levels that change every 0.2 to 0.8 s.
Seen phases(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  TestProgram program{.idle_w = 45, .length = 12.0};
  const double end = 4.5 + 3.5 * unit(rng);
  for (double t = 3.0; t < end;) {
    const double until = std::min(end, t + 0.2 + 0.6 * unit(rng));
    program.work.push_back({t, until, 60 + 100 * unit(rng)});
    t = until;
  }
  return seen(std::move(program), looking(0.0, 0.015, kLag), 3.0, end, seed);
}

// A program with phases, seen through a slow filter: its window is no load of one level, and what
// the filter holds back nobody knows.
TEST(UnseenWork, DoesNotResolveAProgramWithPhasesBehindASlowFilter) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Seen of = phases(seed);
    const auto told = by_readings(of);
    ASSERT_TRUE(told.energy) << seed;
    EXPECT_FALSE(told.resolved) << seed;
    const auto stamped = by_stamp(of);
    ASSERT_TRUE(stamped.energy) << seed;
    EXPECT_TRUE(!stamped.resolved || holds_truth(stamped, of))
        << seed << ": " << stamped.energy->interval.value << " +- "
        << 1.96 * stamped.energy->standard_uncertainty << " J, true " << of.truth();
  }
}

/// The log that nvidia-smi writes of a recording of one source, and one window in it.
void write_log(const Seen& of, const std::filesystem::path& folder) {
  std::ofstream log(folder / "log.csv");
  log << "timestamp, name, power.draw.instant [W]\n";
  const Trace& trace = of.recording.traces.at(0);
  for (const Sample& sample : trace.samples) {
    const double t = seconds_between(energy::program_begin(), sample.seen);
    log << fmt::format("2025/03/04 09:30:{:06.3f}, Board, {:.2f} W\n", t, sample.value);
  }
  const double first = seconds_between(energy::program_begin(), trace.samples.at(0).seen);
  std::ofstream(folder / "window.csv")
      << fmt::format("begin_s,end_s\n{:.3f},{:.3f}\n", of.begin - first, of.end - first);
}

TEST(UnseenWork, IsNotFittedToAWindowThatSomebodyNames) {
  const testing_support::TestFolder folder;
  write_log(phases(1), folder.path());
  AnalyzeOptions options;
  options.input.windows = folder.path() / "window.csv";
  options.input.utc_offset = std::chrono::minutes(0);
  const auto analyzed = analyze(folder.path() / "log.csv", options);
  ASSERT_TRUE(analyzed) << analyzed.error().message;
  EXPECT_FALSE(analyzed->gpus.at(0).profile);
  const energy::EnergyEstimate& told = analyzed->analysis.windows.at(0).estimate;
  ASSERT_TRUE(told.energy);
  EXPECT_FALSE(told.profile);
  EXPECT_FALSE(told.resolved);
}

// Another program's burst of 0.3 s, 1 or 150 ms after the window.
TEST(UnseenWork, DoesNotResolveAWindowWithOtherWorkRightAfterIt) {
  for (const auto& [window, period] : {std::pair{1.0, 0.1}, {0.1, 0.1}, {0.025, 0.1}}) {
    for (const double gap : {0.001, 0.15}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TestProgram program{.idle_w = 60, .length = 10.0};
        program.work = {{3.0, 3.8, 310}, {3.8 + gap, 4.1 + gap, 310}};
        const Seen of = seen(program, looking(window, period), 3.0, 3.8, seed);
        for (const auto& told : {by_stamp(of), by_readings(of)}) {
          EXPECT_FALSE(told.resolved) << window << " s, " << gap << " s after, seed " << seed;
        }
        const auto told = by_readings(of);
        ASSERT_TRUE(told.energy);
        EXPECT_TRUE(holds_truth(told, of)) << window << " s, " << gap << " s after, seed " << seed;
      }
    }
  }
}

// A step of 0.3 s between the readings of a sensor that updates every 1 or 5 s.
TEST(UnseenWork, DoesNotResolveAStepBetweenTwoReadings) {
  int without = 0;
  for (const double period : {1.0, 5.0}) {
    for (const double window : {0.025, 0.1, 1.0}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        TestProgram program{.idle_w = 60, .length = period + 1.3};
        program.work = {{0.5, 0.8, 260}};
        const auto told = by_stamp(seen(program, looking(window, period), 0.5, 0.8, seed));
        EXPECT_FALSE(told.resolved) << window << " of " << period << " s, seed " << seed;
        if (told.energy) continue;
        ++without;
        EXPECT_THAT(told.reasons, testing::Contains(energy::Reason::no_readings_in_window));
      }
    }
  }
  EXPECT_GE(without, 10) << "most windows that no reading is near have no number";
}

// A reading of 1 W steps stands still while the board idles: a value that is held is as many
// readings as it was held for.
TEST(UnseenWork, ReadsAValueThatIsHeldAsIdle) {
  int held = 0;
  for (const double on : {1.0, 2.5}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      TestProgram program{.idle_w = 60.1, .length = 6.0 + on};
      program.work = {{3.0, 3.0 + on, 239.8}};
      TestSensor sensor = looking(0.1, 0.1);
      sensor.quantum = 1.0;
      const Seen of = seen(program, sensor, 3.0, 3.0 + on, seed);
      ASSERT_LE(of.recording.traces.at(0).samples.size(), 6U) << "that is what it is about";
      const auto told = by_stamp(of);
      ASSERT_TRUE(told.energy && told.net_energy) << seed;
      held += holds_truth(told, of) ? 1 : 0;
      // A quarter of a reading at either edge is open, and half a step of the readings.
      EXPECT_NEAR(told.energy->interval.value, of.truth(), 2 * 0.025 * 179.7 + 0.5 * on);
      EXPECT_NEAR(told.baseline->value(), 60.1, 0.5);
    }
  }
  EXPECT_GE(held, 15) << "of 16 intervals of 95 %";
}

}  // namespace
}  // namespace truewatt::analyze
