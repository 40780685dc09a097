#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/trace/formats/nvidia_smi_columns.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::trace {

/// A power cell of one row: a reading, or why there is none.
struct PowerCell {
  SourceId source;
  std::optional<double> watts;
  std::string_view cause;  ///< of a missing reading, a view into the log
};

/// One row of an nvidia-smi log, its cells understood.
struct LogRow {
  std::optional<DriverTime> stamp;
  /// What tells the GPU from others, "" when the log has no such column; absent when the row does
  /// not say which GPU it is about.
  std::optional<std::string> key;
  DeviceIdentity device;
  std::vector<PowerCell> powers;
  HealthSample health;       ///< its time is not set
  bool has_reading = false;  ///< a power or a health value
  std::string fault;         ///< the first thing that could not be read, "" when none
};

/// Understands the cells of a row under `columns`. Cells that cannot be read become `fault`;
/// unanswered ones (`[N/A]`) are simply absent.
LogRow read_log_row(const std::vector<LogColumn>& columns,
                    const std::vector<std::string_view>& cells);

}  // namespace truewatt::trace
