#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// What a source's counts are sums of.
enum class Summed {
  nothing,  ///< it shows power
  unknown,  ///< nobody knows, or samples too close together to matter
  all,      ///< all that the board draws
  looks,    ///< short looks at known times (ObservedSource::looks)
  samples,  ///< samples that may be far apart, nobody knows when
};
Summed summed_by(const ObservedSource& source);

/// When a counter that looks now and then (ObservedSource::looks) looked for a reading, in order:
/// as often as fit between the reading before and it. Nothing of what counts from there on, or
/// looks all of the time. Of a long stretch that is one count, 200 longer looks stand for all.
std::vector<TimeSpan> looks_of(const ObservedSource& source, std::size_t reading);

/// How long one look of a source is, s: an average's window, a counter's look; else 0.
double look_length(const ObservedSource& source);

/// Time from one look to the next, s.
double look_period(const ObservedSource& source);

}  // namespace truewatt::energy
