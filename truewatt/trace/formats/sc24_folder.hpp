#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/recorded_data.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"

namespace truewatt::trace {

struct FolderOptions {
  /// Absent: found from the event stamps, or without them from the meter's start stamp.
  std::optional<std::chrono::minutes> utc_offset;
  /// Absent: the load-on intervals of `timestamps.csv`.
  std::optional<WindowList> windows;
  /// Rails, tick rate and lead of the meter; its start is read from the folder.
  PmdDumpOptions meter;
};

/// Reads one run as Yang 2024's artifact leaves it: `gpudata.csv` (nvidia-smi log, local time), and
/// where present `timestamps.csv` (event stamps: windows and activity), `PMD_data.bin` with
/// `PMD_start_ts.txt` (external meter). All end up on one axis, UTC since the epoch.
/// `unavailable` without `gpudata.csv`; `parse` for event stamps or a log that cannot be read. A
/// meter that cannot be is left out with a warning: the sensor's numbers do not need it.
Result<RecordedData> read_folder(const std::filesystem::path& folder,
                                 const FolderOptions& options = {});

}  // namespace truewatt::trace
