#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/source.hpp"

namespace truewatt::trace {

/// What a column of an nvidia-smi log is about; `ignored` for those that tell nothing used here.
enum class LogField {
  ignored,
  timestamp,
  date,  ///< of a `time` in a later column
  index,
  gpu,  ///< index or name, as people write it
  uuid,
  pci_bus_id,
  name,
  driver_version,
  host,  ///< whose GPU it is, in a log of several
  power,
  energy,  ///< the driver's counter since it was loaded
  power_limit,
  utilization,
  p_state,
  temperature,
  sm_clock,
  memory_clock,
  memory_used,
  event_reasons,
};

struct LogColumn {
  LogField field = LogField::ignored;
  std::optional<SourceId> source;  ///< of a column of power or energy
  std::string title;               ///< as nvidia-smi writes it, without the unit
  std::string unit;                ///< from the header, "" when it names none
  std::optional<int> gpu{};        ///< of a column that is about one GPU: `GPU0`, `gpu1_power_w`
  bool is_guess = false;           ///< a power or GPU column under no title of nvidia-smi's
};

/// The columns of a header line, in order; of two columns about the same thing the second is
/// ignored, and of power columns those under another's titles where there are nvidia-smi's.
/// Nothing when no cell is titled `timestamp`, `time` or the like: then the line is not a header.
std::optional<std::vector<LogColumn>> parse_log_header(const std::vector<std::string_view>& cells);

bool is_log_header(const std::vector<std::string_view>& cells);

/// The columns of a log without a header, from its first row: a stamp with a date or of the epoch,
/// and one cell in watts, or one number and nothing else. Nothing where that is not so.
std::optional<std::vector<LogColumn>> columns_of_row(const std::vector<std::string_view>& cells);

/// The columns as each GPU sees them where a log has a column a GPU: those of others are ignored.
/// One entry, all of them, elsewhere.
std::vector<std::vector<LogColumn>> columns_by_gpu(const std::vector<LogColumn>& columns);

/// `46.19 W` or `power.draw [W]`, apart.
struct TextAndUnit {
  std::string_view text;
  std::string_view unit;
};

/// What a title says of its column.
LogColumn parse_title(std::string_view cell);

/// Of a GPU in a title or a cell.
inline constexpr int kHighestIndex = 4095;

/// The number of a GPU in a cell that names it: `1`, `1.0`, `GPU1`, `gpu-1`, `cuda:1`.
std::optional<int> gpu_number(std::string_view cell);

/// The answers nvidia-smi gives in place of a value: `[N/A]`, `[Unknown Error]`, an empty cell, ...
bool is_unanswered(std::string_view cell);

/// A cell's number in the unit that its field is kept in: watts, MHz, bytes, percent, degrees
/// Celsius. The cell's own unit goes before the header's, which goes before nvidia-smi's usual one.
/// Nothing when it is no number, has another quantity's unit, or is beyond what the field can hold.
std::optional<double> parse_log_number(const LogColumn& column, std::string_view cell);

/// `P0` ... `P15`.
std::optional<int> parse_p_state(std::string_view cell);

/// What a cut number loses: the decimals and the unit. `60.92 W` and `61.13 W` have the same shape,
/// `60.9` another.
struct CellShape {
  std::size_t decimals = 0;
  std::string unit;
  friend bool operator==(const CellShape&, const CellShape&) = default;
};
CellShape shape_of(std::string_view cell);

}  // namespace truewatt::trace
