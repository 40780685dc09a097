#pragma once

#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// True when the device's clocks were limited by power, heat or a brake at any time.
bool were_limited(const Recording& recording);

/// Stretches in which clocks were limited, seconds after `origin`, with the samples of the device's
/// health around them and what a slow source remembers of them. None where they were limited most
/// of the time: then that is the load's usual power. Pure.
std::vector<Work> limited_stretches(const Recording& recording, HostTime origin);

/// The trace without its samples within any of the stretches. Pure.
Trace without(Trace trace, const std::vector<Work>& stretches, HostTime origin);

}  // namespace truewatt::identification
