#pragma once

#include <chrono>
#include <span>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// Every offset of local time from UTC is a multiple of this, between these; those in use are
/// tried.
inline constexpr std::chrono::minutes kUtcOffsetStep{15};
inline constexpr std::chrono::minutes kLowestUtcOffset{-12 * 60};
inline constexpr std::chrono::minutes kHighestUtcOffset{14 * 60};

/// A log that begins or ends this little short of the events still covers them: loggers are started
/// a moment late and killed a moment early.
inline constexpr Nanoseconds kCoverageSlack = std::chrono::seconds(2);

/// Finds what an nvidia-smi log's local time is ahead of UTC from events that happened while it was
/// written. `logs` are recordings parsed as if the offset were 0; `edges` are REALTIME stamps,
/// ascending and alternating load on, load off, as in `EventStamps::edges`.
///
/// An offset is possible when the log then covers all events. Of several possible ones (logs longer
/// than a quarter of an hour) those fit under which the events lie on a block of work: power is
/// higher in it than around it, and the two levels explain at least a fifth as much of the scatter
/// of power there as under the best offset. One that fits is taken. When none does, the one under
/// which the log begins at most a minute before the first event, if it is the only one.
/// `insufficient_data` without edges or readings, `ill_conditioned` with the candidates listed when
/// several remain, `invalid_argument` when none is possible.
Result<std::chrono::minutes> align_utc_offset(std::span<const Recording> logs,
                                              std::span<const DriverTime> edges);

/// `+01:00`, as people write an offset.
std::string format_utc_offset(std::chrono::minutes offset);

}  // namespace truewatt::trace
