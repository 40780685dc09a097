#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/base/time_span.hpp"

namespace truewatt::trace {

/// A load's edges as its host stamped them: on, off, on, off, ...
struct EventStamps {
  std::vector<DriverTime> edges;  ///< ascending, each once; the last one ends the run
  std::vector<DriverSpan> load;   ///< the load-on intervals
};

/// One stamp: whole microseconds since the epoch, between 1990 and 2100, so that seconds,
/// milliseconds and nanoseconds are told from them. Blanks and line feeds around it are allowed.
std::optional<DriverTime> parse_event_stamp(std::string_view text);

/// Reads a file of event stamps: one integer a line, microseconds since the epoch, after an
/// optional header. Every edge stands there twice (once may do: repeats are collapsed). Edges
/// alternate on, off; a last one without partner is the end of the run and begins no load. `parse`,
/// with the line, when a line is no such integer or goes backwards; `insufficient_data` when there
/// are fewer than two edges.
Result<EventStamps> parse_event_stamps(std::string_view text);

}  // namespace truewatt::trace
