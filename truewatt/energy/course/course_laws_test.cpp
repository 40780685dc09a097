// What holds of every course whatever was recorded: joules do not depend on when it was, and follow
// the unit of the readings.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/testing/random_program.hpp"

namespace truewatt::energy {
namespace {

constexpr const char* kAllKinds[] = {"h200",         "ring",   "a100",    "a100+counter",
                                     "a100+average", "boxcar", "average", "counter"};

struct Recorded {
  Recording recording;
  Profile profile;
  bool characterized = false;

  Knowledge knowledge() const {
    Knowledge known;
    if (characterized) known.profile = &profile;
    return known;
  }
};

Recorded recorded(const char* kind, std::uint64_t seed, bool characterized) {
  std::mt19937_64 rng(seed);
  const auto sensors = sensors_of(kind);
  return {record(random_program(rng, 12.0), sensors, rng), profile_of(sensors), characterized};
}

/// The course that marks `asked`, which are times since the program's begin moved by `shift`.
EnergyCourse course_of(ObservedBoard board, std::span<const CourseWindow> asked, double shift) {
  CourseHints hints;
  for (const CourseWindow& window : asked) {
    hints.marks.push_back(window.begin + shift);
    hints.marks.push_back(window.end + shift);
  }
  return {std::move(board), std::move(hints)};
}

/// Windows of 10 ms to 5 s anywhere.
std::vector<CourseWindow> random_windows(std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  std::vector<CourseWindow> windows;
  for (int i = 0; i < 12; ++i) {
    const double begin = 1.0 + 5.0 * unit(rng);
    windows.push_back({begin, begin + 0.01 * std::pow(500.0, unit(rng))});
  }
  return windows;
}

Recording later(Recording recording, Nanoseconds by) {
  for (Trace& trace : recording.traces) {
    trace.begin += by;
    trace.end += by;
    for (Sample& sample : trace.samples) {
      sample.before += by;
      sample.seen += by;
    }
  }
  return recording;
}

/// Calls `check` with a recording of every kind, characterized and not.
template <class Check>
void for_all(Check check) {
  for (const char* kind : kAllKinds) {
    for (const bool characterized : {true, false}) {
      for (const std::uint64_t seed : {21U, 22U}) {
        SCOPED_TRACE(testing::Message()
                     << kind << " seed " << seed << (characterized ? "" : ", uncharacterized"));
        check(recorded(kind, seed, characterized), random_windows(seed));
      }
    }
  }
}

TEST(CourseLaws, JoulesDoNotDependOnWhenItWas) {
  for_all([](const Recorded& of, const std::vector<CourseWindow>& asked) {
    ObservedBoard board = observe(of.recording, of.knowledge());
    const double origin = seconds_between(board.origin, program_begin());
    const EnergyCourse course = course_of(std::move(board), asked, origin);
    // Back to before the program's time 0, on by hours, and by no whole number of anything.
    for (const double seconds : {-77.0, 3600.0, 12345.678901234}) {
      const Nanoseconds by = to_nanoseconds(Seconds(seconds));
      ObservedBoard moved = observe(later(of.recording, by), of.knowledge());
      const double shift = seconds_between(moved.origin, program_begin() + by);
      const EnergyCourse other = course_of(std::move(moved), asked, shift);
      for (const CourseWindow& window : asked) {
        const CourseEnergy a = course.energy({window.begin + origin, window.end + origin});
        const CourseEnergy b = other.energy({window.begin + shift, window.end + shift});
        EXPECT_NEAR(b.joules, a.joules, 1e-6 * std::abs(a.joules));
        EXPECT_NEAR(b.standard_uncertainty, a.standard_uncertainty, 1e-6 * std::abs(a.joules));
      }
    }
  });
}

ObservedBoard in_units(ObservedBoard board, double factor) {
  for (ObservedSource& source : board.sources) {
    source.scatter *= factor;
    source.offset_sd *= factor;
    for (ObservedReading& reading : source.readings) {
      reading.value *= factor;
      reading.span_sd *= factor;
    }
  }
  board.lowest_w *= factor;
  board.limit_w *= factor;
  return board;
}

// What is known of boards beforehand is in watts (they wander by 4 W^2/s, and draw 500 W at most
// where nothing says less), so that the unit is felt, by less than what the readings leave open
// anyway.
TEST(CourseLaws, JoulesFollowTheUnitOfTheReadings) {
  for_all([](const Recorded& of, const std::vector<CourseWindow>& asked) {
    const ObservedBoard board = observe(of.recording, of.knowledge());
    const double origin = seconds_between(board.origin, program_begin());
    const EnergyCourse course = course_of(board, asked, origin);
    for (const double factor : {0.5, 2.0, 5.0}) {
      const EnergyCourse scaled = course_of(in_units(board, factor), asked, origin);
      for (CourseWindow window : asked) {
        window = {window.begin + origin, window.end + origin};
        const CourseEnergy a = course.energy(window);
        EXPECT_NEAR(scaled.energy(window).joules / factor, a.joules, 0.5 * a.standard_uncertainty)
            << "times " << factor << ", " << window.end - window.begin << " s";
      }
    }
  });
}

// Which source is on which place of a recording says nothing.
TEST(CourseLaws, JoulesDoNotDependOnTheOrderOfTheSources) {
  for_all([](const Recorded& of, const std::vector<CourseWindow>& asked) {
    Recording turned = of.recording;
    std::reverse(turned.traces.begin(), turned.traces.end());
    ObservedBoard board = observe(of.recording, of.knowledge());
    const double origin = seconds_between(board.origin, program_begin());
    const EnergyCourse course = course_of(std::move(board), asked, origin);
    const EnergyCourse other = course_of(observe(turned, of.knowledge()), asked, origin);
    for (CourseWindow window : asked) {
      window = {window.begin + origin, window.end + origin};
      const double joules = course.energy(window).joules;
      EXPECT_NEAR(other.energy(window).joules, joules, 1e-6 * std::abs(joules));
    }
  });
}

}  // namespace
}  // namespace truewatt::energy
