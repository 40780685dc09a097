#pragma once

#include "truewatt/base/time.hpp"

namespace truewatt {

/// A stretch of time on one axis. What carries more than its ends (Window, ActivityInterval, Gap)
/// has them as its own first members.
template <class Time>
struct TimeSpan {
  Time begin{};
  Time end{};

  constexpr auto length() const { return end - begin; }
};

using HostSpan = TimeSpan<HostTime>;
using DriverSpan = TimeSpan<DriverTime>;
/// Seconds from an origin that the context names.
using SecondsSpan = TimeSpan<double>;

}  // namespace truewatt
