#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// How long a client library shows the same reading before the next poll refreshes it, seconds,
/// from the end of the call that fetched it to the begin of the one that fetches the next; nothing
/// when the source publishes at ticks of its own. A cache's age counts from its last
/// refresh, so every interval between refreshes bounds it from both sides, and the polls' delays
/// add up from refresh to refresh, while ticks of a grid do not (docs/method.md, section 3).
/// `period` is about the usual interval, seconds.
std::optional<Interval> client_cache_period(const Trace& trace, double period);

/// Readings of a cached source: each is of the time at which a poll refreshed it, not of the middle
/// of its bracket.
std::vector<ticks::Tick> refreshes(const Trace& trace, HostTime origin);

}  // namespace truewatt::identification
