#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// A trace's readings at the ticks that they belong to.
struct Placed {
  double period = 0.1;         ///< s, between readings
  double sensor_period = 0.1;  ///< s, between the sensor's publications, which may be more
  double quantum = 0.0;        ///< W; J of a counter
  double alike_sd = 0.0;       ///< s, by which all times may be off alike
  bool is_log = false;         ///< every row may show a new value: nobody sees ticks
  double drift_sd = 0.0;       ///< ... and those of counts in a row, otherwise later on
  std::vector<ObservedReading> readings;
  std::vector<PerhapsAnew> perhaps_anew{};
  std::vector<TimeSpan> leaps{};  ///< in which a counter counted faster than the board can draw
};

/// How often a source publishes, where its readings show it: not where all that they show is how
/// often a log was written, nor where steps of whole watts hide most of them.
std::optional<Interval> seen_period(const Trace& trace, HostTime origin);

/// Places the readings of a trace, seconds after `origin`. Of a ring: on the running grid of its
/// stamps, which come up to three quarters of a period late (a driver stamps what it has read
/// already). Of a power source: each for as long as it was seen to stand, once a period. Of a
/// counter: what was counted since the reading before; after a stretch in which nobody asked, at
/// the last tick of its grid; what it counted backwards, faster than a board of a limit of
/// `limit_w` can draw, or as count_faults.hpp says, is left out, and it counts on from there. What
/// a trace keeps as sums is one reading with a span. `known_period` is 0 where nothing is known of
/// it. `by_call`: a cache of the driver's client is before it, so that a value is of the call that
/// showed it first.
Placed placed_readings(const Trace& trace, HostTime origin, double known_period, double limit_w,
                       bool by_call = false);

}  // namespace truewatt::energy
