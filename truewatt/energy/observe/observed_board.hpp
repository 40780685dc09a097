#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// A stretch of time, s since the board's origin.
struct TimeSpan {
  double begin = 0.0;
  double end = 0.0;
};

/// How a reading follows from the power: each is a linear functional of it.
enum class Look {
  point,    ///< the power behind the filter, at `time`
  average,  ///< its mean over the `window` before `time`
  counter,  ///< its integral since the reading before
};

/// One reading where it looked: the sensor's delay is taken off its tick.
struct ObservedReading {
  double time = 0.0;     ///< s since the board's origin: the look's end
  double time_sd = 0.0;  ///< s, of this reading alone
  double value = 0.0;    ///< W; of a counter J since the reading before
  /// s; above 0: not one look but the mean of many, evenly over so long before `time`, known ...
  double span = 0.0;
  double span_sd = 0.0;   ///< ... to so many W
  bool is_first = false;  ///< of a counter: it counts from here on, what was before is not known
};

/// A count that may have begun anew: what was counted since the reading before if it did not.
struct PerhapsAnew {
  std::size_t reading = 0;
  double joules = 0.0;
};

/// One source of a board as independent evidence of its power.
struct ObservedSource {
  SourceId source;
  Look look = Look::point;
  double period = 0.1;         ///< s, usual time between readings
  double window = 0.0;         ///< s, of an average
  double time_constant = 0.0;  ///< s, of the filter before it; 0: none
  double delay = 0.0;          ///< s, from a look's end to its tick
  double scatter = 0.0;        ///< sd of a reading at steady power, W; J of a counter
  /// ... of those at rest: less, where most readings show work that makes `scatter` too large.
  double scatter_at_rest = 0.0;
  double quantum = 0.0;  ///< W, steps of its readings; J of a counter
  double age_sd = 0.0;   ///< s, of all its looks alike
  /// s, of a counter: by what counts in a row are off alike, and those of another time otherwise,
  /// as where polls move slowly past its ticks.
  double drift_sd = 0.0;
  double window_sd = 0.0;   ///< s, of `window` at the same age
  double lag_sd = 0.0;      ///< s, of `time_constant` at the same age
  double age_by_lag = 0.0;  ///< by how much the age goes with the time constant
  double slowest = 0.0;     ///< s, of a filter that its readings allow; 0: they tell of none
  double blurred_sd = 0.0;  ///< s, what of its readings' time_sd is for its shape
  double gain_sd = 0.0;     ///< of its gain against the scale's
  double offset_sd = 0.0;   ///< W, likewise, where that shows ...
  double pivot_w = 0.0;     ///< ... so much
  bool is_characterized = false;
  bool integrates = false;  ///< a counter that leaves nothing out
  /// Of a counter: a stretch after each of its ticks that it charges by the power at its end, s.
  struct Gap {
    double begin = 0.0;
    double length = 0.0;
  };
  std::optional<Gap> gap;
  /// Of a counter that adds up a few looks a tick: how often and how long it looks, the last time
  /// at its reading's time. Each counts for all of `every`.
  struct Looks {
    double every = 0.0;   ///< s
    double length = 0.0;  ///< s
  };
  std::optional<Looks> looks;
  /// Of a counter: what it adds up are means over so long about each moment, s.
  double blur = 0.0;
  /// ... and come so often, or may, s; 0: not known.
  double sampled_every = 0.0;
  /// Of an average that is made of a ring's samples: how these look.
  struct Samples {
    double period = 0.0;         ///< s
    double time_constant = 0.0;  ///< s
  };
  std::optional<Samples> made_of;
  /// Where what is published about it stands in: whether its readings come as that says.
  std::optional<bool> as_published;
  /// False: behind a filter that nobody knows readings show other work than what is known to run.
  bool follows_work = true;
  std::vector<ObservedReading> readings;  ///< in order of time
  std::vector<PerhapsAnew> perhaps_anew;  ///< of a counter's
  std::vector<TimeSpan> leaps;            ///< in which a counter counted what no board draws
};

/// Of a step of the board's power, what is missing when work begins from idle (too much, if below
/// 0), and decays.
struct BoardDecay {
  double share = 0.0;
  double share_sd = 0.0;
  double time_constant = 0.0;  ///< s
};

/// Everything that tells of the power of one board in one scope. Times in seconds since `origin`.
struct ObservedBoard {
  HostTime origin;
  Scope scope = Scope::gpu;
  double lowest_w = 0.0;   ///< read; no board draws less in use ...
  double highest_w = 0.0;  ///< read
  double limit_w = 0.0;    ///< ... or more: half as much again as was read, or what it can draw
  std::optional<double> power_limit_w;  ///< that it can be set to, where it was read
  std::vector<BoardDecay> rise;         ///< how it comes up to work; empty: at once, or not known
  std::vector<ObservedSource> sources;  ///< the one whose scale the joules are on stands first
  /// Made of what the first ones are made of: no evidence beside them, but witnesses.
  std::vector<ObservedSource> witnesses;
  std::vector<DroppedSource> dropped;
  std::vector<TimeSpan> read;  ///< when some source looked, in order, apart from each other
  /// Of that, where a counter tells the sum of much more than a usual count and nothing tells parts
  /// of it; in order, apart from each other.
  std::vector<TimeSpan> summed;
  /// Counts that were left out because nothing else shows so much, and the joules more.
  struct Leap {
    TimeSpan span;
    double joules = 0.0;
  };
  std::vector<Leap> leaps;
};

/// What a recording and what is known of its sources tell of the power of the GPU. Aliases,
/// computed readings and what a driver makes of its ring beside that ring are left out; so is
/// everything but `only`, where it is given.
ObservedBoard observe(const Recording& recording, const Knowledge& knowledge,
                      const std::optional<SourceId>& only = {});

/// Readings of a power source that no board in use draws.
struct ImpossibleReadings {
  std::size_t above = 0;    ///< beyond what the board can draw ...
  double most_w = 0.0;      ///< ... which is so much
  double highest_w = 0.0;   ///< of those
  std::size_t nothing = 0;  ///< of less than any board draws
};

/// What `observe` leaves out of a source's readings.
ImpossibleReadings impossible_readings(const Recording& recording, const Trace& trace);

}  // namespace truewatt::energy
