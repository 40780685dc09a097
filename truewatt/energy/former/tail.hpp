#pragma once

#include <limits>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/former/idle.hpp"
#include "truewatt/energy/former/padded_energy.hpp"

namespace truewatt::energy {

// What follows a window, told apart: a late sensor, a board that idles actively, another load
// (docs/method.md, section 5). Stretches are in order of time; pure functions.

/// What the power after a window is held against.
struct Limits {
  /// Half-way from the idle before to the most inside the window, and a hundredth of that step.
  IdleBounds idle;
  /// W above idle: as much as a board that idles actively may draw.
  double active_w = std::numeric_limits<double>::infinity();
};

/// From the idle power before the window and what `all` show inside it.
Limits limits_of(std::span<const Stretch> all, const PaddedInput& input, double before_w);

/// True when the power of the stretches after the window soon falls below the ceiling. Otherwise
/// another load runs on, of which no idle after this window can be told.
bool falls_soon(std::span<const Stretch> outwards, const PaddedInput& input, double ceiling_w);

/// What a source shows between the window and the idle that follows.
struct Tail {
  double joules = 0.0;    ///< above that idle
  double active_j = 0.0;  ///< of it, what a board may have drawn: it falls at once to active idle
  double length_s = 0.0;
};

Tail tail_of(std::span<const Stretch> stretches, double idle_w, double active_w);

/// What the source lacks at the begin of the window until it first shows the power that it shows
/// most of the time while it shows a load.
struct Missing {
  double joules = 0.0;
  double level_w = 0.0;  ///< that power; 0 where no stretch inside shows a load
};
Missing missing_at_begin(std::span<const Stretch> all, const PaddedInput& input,
                         const Limits& limits);

/// What has to be taken from the energy because the tail is the board's own active idle. A sensor
/// that lags lacks at the window's begin what it shows after its end; what goes beyond that, the
/// board drew. Nothing when the lag is known.
Uncertain drawn_after(std::span<const Stretch> all, const PaddedInput& input, const Limits& limits,
                      const Tail& tail);

}  // namespace truewatt::energy
