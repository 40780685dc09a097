#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// What was read from a path, whatever its format.
struct RecordedData {
  std::string format;                 ///< "nvidia-smi", "Prometheus", "h200 trace", ...
  std::vector<Recording> recordings;  ///< one per GPU
  std::optional<MeterTrace> meter;    ///< on the recordings' axis
  /// Local time minus UTC: of stamps that say it, given, or found; absent where nothing needs it.
  std::optional<std::chrono::minutes> utc_offset;
  std::string utc_offset_from;  ///< "stamps", "option", "windows", "meter"; "" without one
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> warnings;  ///< what was assumed first, then the first bad rows
};

/// The first recording that has readings, which a meter's time may be counted from; the first one
/// when none has. `data` has at least one recording, as everything that was read does.
inline const Recording& reference_recording(const RecordedData& data) {
  for (const Recording& recording : data.recordings) {
    if (!recording.traces.empty()) return recording;
  }
  return data.recordings.front();
}

}  // namespace truewatt::trace
