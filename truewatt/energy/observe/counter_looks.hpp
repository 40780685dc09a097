#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// When a counter that looks now and then (ObservedSource::looks) looked for a reading, in order:
/// as often as fit between the reading before and it. Nothing of what counts from there on, or
/// looks all of the time. Of a long stretch that is one count, 200 longer looks stand for all.
std::vector<TimeSpan> looks_of(const ObservedSource& source, std::size_t reading);

/// How long one look of a source is, s: an average's window, a counter's look; else 0.
double look_length(const ObservedSource& source);

/// Time from one look to the next, s.
double look_period(const ObservedSource& source);

}  // namespace truewatt::energy
