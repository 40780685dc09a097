#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// How long the recorder of these traces took from one poll of a source to the next: most rounds
/// took 2.2 to 4.6 ms (files that say when the previous poll was). It stands in for the previous
/// poll in files that do not say.
inline constexpr Nanoseconds kRecorderRound = std::chrono::milliseconds(5);

struct H200Trace {
  Recording recording;  ///< windows and activity are the load intervals
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> warnings;
};

/// Reads the traces that were recorded on an H200: one row per CHANGE of a source, in one of two
/// layouts.
///
/// `source,t_ns,value`, REALTIME nanoseconds. The host axis is REALTIME, with one identity clock
/// pair. When the source was last seen with its old value is not recorded; `Sample::before` is the
/// last row of any polled source before that round (all are polled in turn; rows of one round stand
/// within a millisecond), but not more than `kRecorderRound` before `seen`. `buffer_mW` carries the
/// driver's own stamp: `before`, `seen` and `stamp` are that. Load intervals are pairs of
/// `load_begin` and `load_end`.
///
/// `source,t_prev_poll_ns,t_ns,value`, MONOTONIC nanoseconds, no clock pairs. `before` is the
/// previous poll (the row itself where that is 0: the first). `load` rows carry begin and end.
///
/// Sources: `energy_mJ`, `instant_mW`, `average_mW`, `power_usage_mW`, `buffer_mW`; `sm_clock_MHz`
/// becomes health. Values are kept in joules and watts. A trace's `end` is the last row of any
/// polled source: a source without a later row still stood. `polls` counts rows only.
///
/// `parse` without either header, `insufficient_data` without a reading.
Result<H200Trace> parse_h200_trace(std::string_view text);

/// Whether a file that begins like this is such a trace.
bool looks_like_h200_trace(std::string_view start);

}  // namespace truewatt::trace
