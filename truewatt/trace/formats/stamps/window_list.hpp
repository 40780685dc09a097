#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/stamps/event_stamps.hpp"
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
};

/// Numbers in a windows file above this are seconds since the epoch, others since the recording's
/// first reading (31 years of recording, or the year 2001).
inline constexpr double kEpochSecondsFrom = 1e9;
inline bool is_epoch(Nanoseconds time) { return Seconds(time).count() > kEpochSecondsFrom; }

/// Reads a windows file: a CSV with the columns `begin_s,end_s` (and `label`, optional) in any
/// order, or event stamps (`parse_event_stamps`). `parse`, with the line, when a row cannot be
/// read, ends before it begins, or is of the other kind than those above:
/// windows decide what is accounted for, so none is skipped.
Result<WindowList> read_windows(std::string_view text);

/// The load-on intervals of event stamps as windows.
WindowList load_windows(const EventStamps& events);

/// The first reading of any of the recordings, which relative windows of all of them count from.
std::optional<HostTime> first_of_all(const std::vector<Recording>& recordings);

/// The windows on the recording's axis, relative ones counted from `from`, else from its own
/// first reading. `insufficient_data` when it has no reading to count from,
/// `unsupported` when the list has epoch times and the recording no clock pairs to place them with.
Result<std::vector<Window>> place_windows(const WindowList& list, const Recording& recording,
                                          std::optional<HostTime> from = std::nullopt);

/// Where time in any of a list's absolute windows begins and ends, in order; empty for a relative
/// one. What `align_utc_offset` wants.
std::vector<DriverTime> edges_of(const WindowList& list);

}  // namespace truewatt::trace
