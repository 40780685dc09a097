#pragma once

#include <optional>

#include "truewatt/base/units.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// What a plain poller reports for a window: of a power source its last reading held until the next
/// one, of an energy counter the difference of the values shown at the window's two ends. No
/// correction of any kind. Nothing when the source showed no value by the window's begin or was
/// not polled until its end.
std::optional<Joules> naive_energy(const Trace& trace, const Window& window);

/// Whether the value that a source showed is known all through the window: it was polled from
/// before its begin until its end, and a power source was never left alone for long.
bool held_throughout(const Trace& trace, const Window& window);

/// Mean of the held readings of a power source over [begin, end].
std::optional<Watts> mean_held_power(const Trace& trace, HostTime begin, HostTime end);

}  // namespace truewatt::trace
