#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/course/power_smoother.hpp"

// What EnergyCourse::Impl is made of, as values; for this layer only.
namespace truewatt::energy::course {

/// How a source is laid out in the smoother's state.
struct Slots {
  std::size_t filter = 0;  ///< state that a point reading shows: 0 the power, else a filter
  std::vector<std::size_t> integrals;
  std::size_t span = 0;  ///< integral of readings that are means of many
};

/// A reading's place in the smoother.
struct Place {
  std::uint32_t source = 0;
  std::uint32_t reading = 0;
};

/// Something that happens at a time: a counter that looks now and then may only begin to, or end.
struct Event {
  enum class Kind { open, read, count, look, rest };
  double time = 0.0;
  Kind kind = Kind::read;
  std::uint16_t slot = 0;
  Place place;
  StepAction action() const {
    if (kind == Kind::open) return StepAction::open;
    return kind == Kind::count ? StepAction::count : StepAction::read;
  }
};

/// Where the power may jump.
struct Knot {
  double time = 0.0;
  bool is_mark = false;
};

/// Variances of readings by what they are of.
struct Noise {
  double scatter = 0.0;  ///< at steady power
  double ticks = 0.0;    ///< when it looked
  double model = 0.0;    ///< what it is off by beyond
  double total() const { return scatter + ticks + model; }
};

/// An error that all readings of a source share: so many times `sd` a priori.
struct Nuisance {
  enum class Kind { gain, offset, age, window, lag, sampling, work } kind;
  std::size_t source;
  double sd;
  double value = 0.0;  ///< in the kind's unit
};

/// The course of power behind a filter, by step.
struct Filtered {
  double time_constant = 0.0;  ///< s; 0: the power itself
  std::vector<float> at_begin;
};

/// What a source sees about the times at which a reading begins and ends to look, W.
struct LookEnds {
  double begin = 0.0;
  double end = 0.0;
};

/// Steps of one name: `parts` columns, kinds of work from `first_kind` on, one for each part of
/// a step; a step deviates from them by a share of the power that they have.
struct Train {
  std::size_t name = 0;  ///< TrainStep::train
  std::size_t first_kind = 0;
  std::size_t parts = 0;
  double deviation = 0.0;         ///< sd, of the power that deviates ...
  double stretches = 1.0;         ///< ... in so many stretches of a step, each on its own
  double strays = 1.0;            ///< readings within stray by so much more than they should
  double by_rule = 0.0;           ///< log likelihood of its readings by the rule for jumps ...
  double evidence = 0.0;          ///< ... and with the steps' shape
  std::vector<double> swing_w{};  ///< by part: the power that deviates
};

/// A kind of work that runs in a share of a step.
struct Share {
  std::size_t kind = 0;
  double of_step = 0.0;
};

/// A step that a source's readings show between two times.
struct Jump {
  double from = 0.0;
  double until = 0.0;
  double variance = 0.0;  ///< W^2, above what readings scatter by
  double to_w = 0.0;      ///< no more than this behind it
};

/// A window of a sum, and what it weighs there.
struct WeightedWindow {
  CourseWindow window;
  double weight = 1.0;
};

/// What a sum of windows errs by.
struct Errors {
  double variance = 0.0;  ///< J^2, nuisances aside
  Eigen::VectorXd by_nuisance;
  Noise shares{};  ///< of the variance
};

}  // namespace truewatt::energy::course
