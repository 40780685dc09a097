#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

struct NvidiaSmiLogOptions {
  /// Local time minus UTC: nvidia-smi prints local time and does not say which.
  std::chrono::minutes utc_offset{0};
  /// Health is kept this far apart, and wherever the p-state or the event reasons change.
  Nanoseconds health_period = std::chrono::seconds(1);
};

struct NvidiaSmiLog {
  std::vector<Recording> recordings;  ///< one per GPU, in order of first appearance
  std::uint64_t rows = 0;             ///< rows read whole
  std::uint64_t bad_rows = 0;         ///< rows that were not; what could be read of them is kept
  std::vector<std::string> warnings;  ///< the first few bad rows, with line number and cell
};

/// Reads what `nvidia-smi --query-gpu=timestamp,... --format=csv` wrote: any columns in any order,
/// with or without units, several GPUs (told apart by `uuid`, `pci.bus_id`, `index` or `name`),
/// headers in the middle, lines cut by a crash. A bad row never costs a good one.
///
/// The host axis of the recordings is UTC since the epoch, and `Sample::stamp` is the row's stamp;
/// both have nvidia-smi's resolution of 1 ms. They differ only behind a clock that was set back
/// (`place_rows`), which is a `CaptureEvent` of kind `clock_step`. A reading's bracket is the last
/// row that showed the value before and the first row that shows it.
///
/// `parse` when there is no header with a `timestamp` column (`noheader` logs do not say what their
/// columns mean) or no power column, `insufficient_data` when no row has a power reading.
Result<NvidiaSmiLog> parse_nvidia_smi_log(std::string_view text,
                                          const NvidiaSmiLogOptions& options = {});

/// Whether a file that begins like this is such a log, with or without its header.
bool looks_like_nvidia_smi_log(std::string_view start);

}  // namespace truewatt::trace
