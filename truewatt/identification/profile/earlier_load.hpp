#pragma once

#include <span>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// When the device was first asked, in seconds after `origin`: what ran is known from then on. The
/// driver's ring of samples shows the time before as well, and with it other people's loads.
double asked_from(const Recording& recording, HostTime origin);

/// The readings (W, s) in which nothing but `work` shows: those from `asked` on, and of those
/// before the first work the last ones that are idle to 1 % of the step, or to four standard
/// deviations of a reading. Earlier ones still show what ran before. Empty where fewer than three
/// such stand before the first work: what the source showed of an earlier load is not known then.
/// Readings must be in order of time. Pure.
std::vector<ticks::Tick> without_earlier_load(std::span<const ticks::Tick> readings,
                                              std::span<const Work> work, double asked);

}  // namespace truewatt::identification
