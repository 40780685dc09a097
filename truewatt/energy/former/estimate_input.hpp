#pragma once

#include <vector>

#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/ticks/ticks.hpp"

// What the estimate of one window asks of one source's trace. Pure functions.
namespace truewatt::energy {

/// Idle is looked for this far outside the window; what happened further away does not matter.
inline constexpr Nanoseconds kPadding = std::chrono::seconds(1);

/// The counts of the stretch between two resets that holds the window.
std::vector<ticks::Tick> without_other_counts(std::vector<ticks::Tick> ticks, const Trace& trace,
                                              const Window& window);

/// Resolution of a counter: the largest power of ten that divides every count. Of a power source:
/// the smallest step between neighbouring readings, at most 1 W.
double quantum_of(const std::vector<ticks::Tick>& ticks, bool counter);

/// Window, knowledge and idle from other sources, in seconds after the trace's begin.
PaddedInput padded_input(const Recording& recording, const Window& window, const Trace& trace,
                         const std::vector<ticks::Tick>& ticks, double period_s,
                         const Knowledge& knowledge);

}  // namespace truewatt::energy
