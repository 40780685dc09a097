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
  std::string format;                              ///< "nvidia-smi", "h200 trace", "sc24 folder"
  std::vector<Recording> recordings;               ///< one per GPU
  std::optional<MeterTrace> meter;                 ///< on the recordings' axis
  std::optional<std::chrono::minutes> utc_offset;  ///< of local stamps, given or found
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> warnings;
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
