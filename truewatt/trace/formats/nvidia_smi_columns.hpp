#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/base/time.hpp"

namespace truewatt::trace {

/// What a column of an nvidia-smi log is about; `ignored` for those that tell nothing used here.
enum class LogField {
  ignored,
  timestamp,
  index,
  uuid,
  pci_bus_id,
  name,
  driver_version,
  power,
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
  std::optional<SourceId> source;  ///< of a power column
  std::string title;               ///< as nvidia-smi writes it, without the unit
  std::string unit;                ///< from the header, "" when it names none
};

/// The columns of a header line, in order; of two columns about the same thing the second is
/// ignored. Nothing when no cell is titled `timestamp`: then the line is not a header.
std::optional<std::vector<LogColumn>> parse_log_header(const std::vector<std::string_view>& cells);

/// The answers nvidia-smi gives in place of a value: `[N/A]`, `[Unknown Error]`, an empty cell, ...
bool is_unanswered(std::string_view cell);

/// A cell's number in the unit that its field is kept in: watts, MHz, bytes, percent, degrees
/// Celsius. The cell's own unit goes before the header's, which goes before nvidia-smi's usual one.
/// Nothing when it is no number, has another quantity's unit, or is beyond what the field can hold.
std::optional<double> parse_log_number(const LogColumn& column, std::string_view cell);

/// `P0` ... `P15`.
std::optional<int> parse_p_state(std::string_view cell);

/// `2023/07/14 10:10:26.905` (or with `-`, or without a fraction), read as if it were UTC. Nothing
/// unless it is a date that exists between 1970 and 2099.
std::optional<DriverTime> parse_log_time(std::string_view cell);

/// What a cut number loses: the decimals and the unit. `60.92 W` and `61.13 W` have the same shape,
/// `60.9` another.
struct CellShape {
  std::size_t decimals = 0;
  std::string unit;
  friend bool operator==(const CellShape&, const CellShape&) = default;
};
CellShape shape_of(std::string_view cell);

}  // namespace truewatt::trace
