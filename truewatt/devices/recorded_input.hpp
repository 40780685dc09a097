#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/meter_trace.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::devices {

/// What the command line says about recorded data.
struct RecordedInputOptions {
  std::optional<std::filesystem::path> windows;    ///< `--windows`
  std::optional<std::filesystem::path> meter;      ///< `--meter`
  std::optional<std::chrono::minutes> utc_offset;  ///< `--utc-offset`
  std::optional<int> device;                       ///< which GPU of a log, by its index
};

/// One GPU's recording out of recorded data of any known format, run files included.
struct RecordedInput {
  std::string format;
  Recording recording;
  std::optional<trace::MeterTrace> meter;  ///< on the recording's axis
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::vector<std::string> notes;
};

/// Reads a path. Errors: those of reading, insufficient_data without a device, invalid_argument for
/// an index that the data do not have.
Result<RecordedInput> read_recorded_input(const std::filesystem::path& path,
                                          const RecordedInputOptions& options);

}  // namespace truewatt::devices
