#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/recorded_data.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"

namespace truewatt::trace {

struct DatedLogOptions {
  /// Local time minus UTC, where it is known.
  std::optional<std::chrono::minutes> utc_offset;
  std::optional<WindowList> windows;
  /// Stamps of what happened while the log was written, to find the offset from.
  std::vector<DriverTime> events;
  std::string_view events_are = "windows";  ///< or "meter": what `events` are from
};

/// Reads a log (`parse_log_file`) and places it on the UTC axis. Stamps that say their offset need
/// nothing; local time is taken to UTC by the given offset, else by the one found from `events`
/// (`align_utc_offset`). Where neither is there, nothing asks for UTC and local time stays. The
/// windows are placed in every recording that has readings; those of event stamps become activity
/// too. Windows in local time are by the clock of a log in local time.
Result<RecordedData> read_dated_log(std::string_view text, const DatedLogOptions& options);

/// Puts `list` into every recording of `data` that has readings, in place of its windows. Windows
/// outside a recording are kept, with a warning: most likely the clock offset is wrong.
Result<void> set_windows(RecordedData& data, const WindowList& list);

}  // namespace truewatt::trace
