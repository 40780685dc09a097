#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/recorded_data.hpp"
#include "truewatt/trace/formats/window_list.hpp"

namespace truewatt::trace {

struct DatedLogOptions {
  /// Local time minus UTC, where it is known.
  std::optional<std::chrono::minutes> utc_offset;
  std::optional<WindowList> windows;
  /// Stamps of what happened while the log was written, to find the offset from.
  std::vector<DriverTime> events;
};

/// Reads an nvidia-smi log whose local time is to be placed on the UTC axis: by the given offset,
/// by `events` (`align_utc_offset`), or, without either, as if it were UTC, with a warning and no
/// `utc_offset` in the result. The windows are placed in every recording that has readings; those
/// of event stamps become activity too.
Result<RecordedData> read_dated_log(std::string_view text, const DatedLogOptions& options);

/// Puts `list` into every recording of `data` that has readings, in place of its windows. Windows
/// outside a recording are kept, with a warning: most likely the clock offset is wrong.
Result<void> set_windows(RecordedData& data, const WindowList& list);

}  // namespace truewatt::trace
