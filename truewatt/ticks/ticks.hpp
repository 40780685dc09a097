#pragma once

#include <vector>

#include "truewatt/base/time.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::ticks {

/// One publication of a source on an axis of seconds: when, how well that is known, and its value.
struct Tick {
  double time = 0.0;     ///< s since the axis's origin; middle of the bracket
  double time_sd = 0.0;  ///< s; standard uncertainty of `time`: bracket width / sqrt(12)
  double value = 0.0;    ///< W or J
  bool follows = true;   ///< somebody looked all the time since the tick before
};

/// Publications of a trace in seconds since `origin`. Repeats of a refresh (a second value closer
/// than `kDoubleShare` of the usual interval) are folded: time of the first, value of the last. The
/// first sample of a trace was already there when polling began, so its bracket is open: it is
/// placed on the regular grid of the ticks after it, or left out when there is none. Left out too:
/// the first sample after a rest (kNotAsked), which was published at any time within it.
std::vector<Tick> publications(const Trace& trace, HostTime origin);
inline constexpr double kDoubleShare = 0.4;  // docs/method.md, section 3

/// The polls of a power source as ticks, evenly spread over the trace: for a source that shows so
/// steady a value that its own ticks cannot be seen. Empty below kFewestPolls.
std::vector<Tick> polls_as_ticks(const Trace& trace, HostTime origin);
inline constexpr std::uint64_t kFewestPolls = 8;

}  // namespace truewatt::ticks
