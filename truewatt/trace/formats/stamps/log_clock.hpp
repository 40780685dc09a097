#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "truewatt/base/clock_alignment.hpp"
#include "truewatt/base/time.hpp"

namespace truewatt::trace {

/// nvidia-smi prints its stamps to the millisecond.
inline constexpr Nanoseconds kLogStampWidth = std::chrono::milliseconds(1);

/// A log's rows on a host axis that never runs backwards.
struct LogTimes {
  std::vector<HostTime> host;          ///< one per row, in row order, never decreasing
  std::vector<ClockPair> clock_pairs;  ///< identity, but for stretches after a step; begin and end
                                       ///< of each
  std::vector<std::size_t> steps;      ///< rows whose stamp lay before the row above
  Nanoseconds farthest_back{0};        ///< by how much the clock was set back at most
};

/// Where a local clock was set by an hour: the stamps on both sides, as they were written.
struct ClockSetting {
  DriverTime above;
  DriverTime below;
};

/// Takes back whole hours by which daylight saving set a local clock, in place; returns where
/// it was. Back: the next rows lie an hour, less about a row distance, before. Forward: they
/// jump from just before a full hour to just after the next one, at night (00:00 to 04:00), where
/// such clocks are set; any other jump is a pause.
std::vector<ClockSetting> undo_daylight_saving(std::vector<DriverTime>& stamps);

/// Rows of a spreadsheet or of joined files that stand out of order, by number, in that of their
/// stamps; nothing where they are in order, or where a clock was set instead: put in order, rows of
/// a clock that was set back stand in between others, at any distance, or are parts of ten rows and
/// more with a pause between them. Pure.
std::optional<std::vector<std::uint32_t>> order_of_rows(const std::vector<DriverTime>& stamps);

/// Rows of one GPU whose stamps are whole seconds, several a second: evenly within their second, in
/// place, each known to the distance of two. How many there are in a second as a rule; 1, and
/// nothing moved, where stamps are finer or there is one.
std::size_t spread_within_seconds(std::vector<DriverTime>& stamps);

/// Places rows, in the order in which they were written, on the host axis: as a rule the stamp
/// itself. Where the clock was set back (the end of daylight saving time, a corrected clock) the
/// axis goes on by the log's median row distance and keeps the new offset, until stamps jump
/// forward by about as much again. A single row whose stamp lies off both its neighbours is put
/// between them. A clock set forward cannot be told from a pause and is taken for one. Stamps lie
/// between 1970 and 2100, printed to `width`.
LogTimes place_rows(const std::vector<DriverTime>& stamps, Nanoseconds width = kLogStampWidth);

}  // namespace truewatt::trace
