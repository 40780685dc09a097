#pragma once

#include <limits>
#include <string>
#include <vector>

#include "truewatt/model/power_signal.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// A stretch of work of one kind, seconds on the ticks' axis.
struct Stint {
  double begin = 0.0;
  double end = 0.0;
  std::size_t kind = 0;
};

/// What is known to have run: in order of time, stretches of one kind not overlapping.
struct WorkTimes {
  std::vector<Stint> stints;
  std::size_t kinds = 0;
  /// Ends of the work that is known to have run further away: nothing is said of it.
  double since = 0.0;
  double until = std::numeric_limits<double>::infinity();

  double begin() const { return stints.front().begin; }
  double end() const;        ///< of the stint that ends last
  double first_end() const;  ///< of the stint that ends first
};

/// The recording's activity by label within 10 s of the window, seconds after `origin`; where there
/// is none its windows and `window`, each a kind of its own. Stints of one kind less than 0.2 ms
/// apart are one: launch latency. Kinds beyond the 24 most worked are one.
WorkTimes work_times(const Recording& recording, const Window& window, HostTime origin);

/// A known course of power with an unknown height: P(t) = sum of height * course, beside the random
/// part (docs/method.md, eq. 14a).
struct PowerPart {
  enum class Role {
    idle,        ///< always
    before,      ///< before the readings that are used
    context,     ///< outside the margins of idle that a load keeps
    after_glow,  ///< while nothing runs, from the first end of work on: active idle
    after_load,  ///< from the end of the load on: idle that has become another
    work,        ///< while something runs
    kind,        ///< while one kind of it runs, beyond what all kinds have in common
    rise,        ///< decays from every upward step on: slow rise (negative) or overshoot
  };
  Role role = Role::idle;
  PowerSignal course{0.0, {1.0, 1.0, 1.0}};
  double prior_sd = 0.0;  ///< of the height, whose mean before any reading is 0
};

/// What the parts are made from beside the work.
struct PartScales {
  double from = 0.0;              ///< s: no reading looks at what was before ...
  double to = 0.0;                ///< ... or after
  double begin = 0.0;             ///< s, of the load, its work included
  double end = 0.0;               ///< s
  bool steady_before = false;     ///< beyond the margin idle is as within: no context begins there
  bool steady_after = false;      ///< ... or ends
  double idle_w = 0.0;            ///< about
  double step_w = 0.0;            ///< about, from idle to work
  std::vector<double> heights_w;  ///< of each kind above idle, from an earlier look; empty: step_w
};

std::vector<PowerPart> power_parts(const WorkTimes& work, const PartScales& scales);

}  // namespace truewatt::energy
