#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/stamps/event_stamps.hpp"
#include "truewatt/trace/formats/stamps/log_clock.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// A window counted from the recording's first reading.
struct RelativeWindow {
  Nanoseconds begin{0};
  Nanoseconds end{0};
  std::string label;
};

/// A window on the REALTIME axis.
struct AbsoluteWindow {
  DriverTime begin;
  DriverTime end;
  std::string label;
};

/// What a `--windows` file says: windows in the file's order, which may lie in each other, as an
/// epoch's steps in the epoch. Those of event stamps follow each other.
struct WindowList {
  std::variant<std::vector<RelativeWindow>, std::vector<AbsoluteWindow>> windows;
  /// True for event stamps: the windows are exactly when the load ran, and may serve as activity.
  bool are_load = false;
  /// True for absolute windows whose stamps say no offset: local time, read as if it were UTC.
  bool are_local = false;
};

/// Numbers in a windows file above this are seconds since the epoch, others since the recording's
/// first reading (31 years of recording, or the year 2001).
inline constexpr double kEpochSecondsFrom = 1e9;
inline bool is_epoch(Nanoseconds time) { return Seconds(time).count() > kEpochSecondsFrom; }

/// Reads a windows file: a CSV with the columns `begin_s,end_s` (or `begin`,
/// `start`, `start_s`, `end`; and `label`, optional) in any order, or event stamps
/// (`parse_event_stamps`). A time is in seconds or a stamp with a date (`parse_dated_stamp`).
/// `parse`, with the line, when a row cannot be read, ends before it begins, or is of another kind
/// than those above: windows decide what is accounted for, so none is skipped. `separator` stands
/// between cells.
Result<WindowList> read_windows(std::string_view text, char separator = ',');

/// Local times of `list` as a clock would have them that daylight saving did not set there.
/// `ill_conditioned` where one lies in an hour that is twice in the log.
Result<WindowList> without_daylight_saving(WindowList list, std::span<const ClockSetting> settings);

/// `list` in UTC: local time is taken there by `offset`, of local time from UTC.
WindowList in_utc(WindowList list, std::chrono::minutes offset);

/// The load-on intervals of event stamps as windows.
WindowList load_windows(const EventStamps& events);

/// The first reading of any of the recordings, which relative windows of all of them count from.
std::optional<HostTime> first_of_all(const std::vector<Recording>& recordings);

/// The windows on the recording's axis, relative ones counted from `from`, else from its own
/// first reading. `insufficient_data` when it has no reading to count from,
/// `unsupported` when the list has epoch times and the recording no clock pairs to place them with.
Result<std::vector<Window>> place_windows(const WindowList& list, const Recording& recording,
                                          std::optional<HostTime> from = std::nullopt);

/// "1 of 3 windows reach beyond the readings, which cover 50 s", of the recording's own windows;
/// nothing where none does, or there is no reading.
std::optional<std::string> windows_beyond(const Recording& recording);

/// Where time in any of a list's absolute windows begins and ends, in order; empty for a relative
/// or local one. What `align_utc_offset` wants.
std::vector<DriverTime> edges_of(const WindowList& list);

}  // namespace truewatt::trace
