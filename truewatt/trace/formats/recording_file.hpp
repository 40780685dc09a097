#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/meters/pmd_dump.hpp"
#include "truewatt/trace/formats/recorded_data.hpp"
#include "truewatt/trace/formats/stamps/window_list.hpp"

namespace truewatt::trace {

struct RecordedOptions {
  /// Local time minus UTC of an nvidia-smi log; absent: found from stamps beside it, if any.
  std::optional<std::chrono::minutes> utc_offset;
  /// Replace what the data say themselves. Epoch times also help to find the offset.
  std::optional<WindowList> windows;
  /// A meter's file, read with `read_meter_file`; replaces a folder's own.
  std::optional<std::filesystem::path> meter_file;
  /// Rails, tick rate and lead of a PMD-USB dump; its start is read from beside it.
  PmdDumpOptions meter;
};

/// Reads recorded data of any format of this layer and recognises which by content: a folder with
/// `gpudata.csv` (`read_folder`), a log of readings (`parse_log_file`), an H200 trace
/// (`parse_h200_trace`). `unsupported` for a run file, which the caller has another reader for;
/// `parse` for anything else. `unavailable` when there is nothing at `path`; else the readers'
/// errors.
Result<RecordedData> read_recorded(const std::filesystem::path& path,
                                   const RecordedOptions& options = {});

/// Reads a meter's file: a CSV (`parse_meter_csv`), or a PMD-USB dump with `PMD_start_ts.txt` in
/// the same folder. `unsupported` for anything else. The axis is the file's own: see `place_meter`.
Result<MeterTrace> read_meter_file(const std::filesystem::path& path,
                                   const PmdDumpOptions& options = {});

/// Reads a windows file (`read_windows`), naming it in errors.
Result<WindowList> read_windows_file(const std::filesystem::path& path);

}  // namespace truewatt::trace
