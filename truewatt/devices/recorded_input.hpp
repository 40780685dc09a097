#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/results/baseline.hpp"
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

/// The GPUs of recorded data of any known format, run files included.
struct RecordedGpus {
  std::string format;
  std::vector<Recording> recordings;       ///< one at least
  std::optional<trace::MeterTrace> meter;  ///< on the only recording's axis
  std::uint64_t rows = 0;
  std::uint64_t bad_rows = 0;
  std::string utc_offset;       ///< local time minus UTC, `+01:00`; "" where nothing says it
  std::string utc_offset_from;  ///< as `trace::RecordedData` has it
  std::vector<std::string> notes;
  /// Of a run file: the idle that its net energies count from, where that was chosen or is lowest.
  energy::BaselineRule baseline;
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

/// Reads a path: all its GPUs, or the one that is asked for; with a meter, which is of one, the
/// first. Errors: those of reading, insufficient_data without a device, invalid_argument for an
/// index that the data do not have.
Result<RecordedGpus> read_recorded_gpus(const std::filesystem::path& path,
                                        const RecordedInputOptions& options);

/// The GPU that is asked for, or the first, with a note where there are more.
Result<RecordedInput> read_recorded_input(const std::filesystem::path& path,
                                          const RecordedInputOptions& options);

}  // namespace truewatt::devices
