#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

constexpr std::string_view kUnreadable = "unreadable";

/// Whether `cell` can be what it stands for: garbage here would make up a GPU.
bool may_identify(LogField field, std::string_view cell) {
  const auto only = [cell](std::string_view allowed) {
    return cell.find_first_not_of(allowed) == std::string_view::npos;
  };
  if (field == LogField::index) {
    const auto index = gpu_number(cell);
    return index && *index >= 0 && *index <= kHighestIndex;
  }
  if (field == LogField::uuid) return cell.starts_with("GPU-") || cell.starts_with("MIG-");
  if (field == LogField::pci_bus_id) return only("0123456789abcdefABCDEF:.");
  if (field == LogField::gpu && gpu_number(cell)) {
    return may_identify(LogField::index, cell);
  }
  return std::all_of(cell.begin(), cell.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

/// Reads the cells of one row into a LogRow, one function per kind of field.
class RowReader {
 public:
  RowReader(LogStampReader& stamps, LogRow& row) : stamps_(stamps), row_(row) {}
  void read(const LogColumn& column, std::string_view cell);

 private:
  void read_stamp(const LogColumn& column, std::string_view cell);
  void read_power(const LogColumn& column, std::string_view cell);
  void read_identity(const LogColumn& column, std::string_view cell);
  void read_limit(const LogColumn& column, std::string_view cell);
  void read_state(const LogColumn& column, std::string_view cell);
  void read_quantity(const LogColumn& column, std::string_view cell);
  void blame(const LogColumn& column, std::string_view cell);

  LogStampReader& stamps_;
  LogRow& row_;
  std::string_view date_;
};

std::optional<double>& slot(HealthSample& health, LogField field) {
  if (field == LogField::utilization) return health.utilization_percent;
  if (field == LogField::temperature) return health.temperature_c;
  if (field == LogField::sm_clock) return health.sm_clock_mhz;
  return health.memory_clock_mhz;
}

void RowReader::blame(const LogColumn& column, std::string_view cell) {
  if (row_.fault.empty()) row_.fault = fmt::format("{} is {}", column.title, quote(cell));
}

/// A number that is too small for a date, in the unit of its column, as seconds; "" where it is
/// something else or in seconds.
std::string in_seconds(const LogColumn& column, std::string_view cell) {
  if (column.unit.empty()) return "";
  const double scale = column.unit == "ms"   ? 1e-3
                       : column.unit == "us" ? 1e-6
                       : column.unit == "ns" ? 1e-9
                                             : 1.0;
  constexpr double kNoDate = 9e8;  // s
  const auto number = scale < 1.0 ? parse_number(cell) : std::nullopt;
  return number && std::abs(*number * scale) < kNoDate ? fmt::format("{:.9f}", *number * scale)
                                                       : "";
}

void RowReader::read_stamp(const LogColumn& column, std::string_view cell) {
  const std::string seconds = in_seconds(column, cell);
  row_.stamp = !seconds.empty() ? parse_log_stamp(seconds)
               : date_.empty()  ? stamps_.read(cell)
                                : parse_log_stamp(fmt::format("{} {}", date_, cell));
  if (!row_.stamp) blame(column, cell);
}

void RowReader::read_power(const LogColumn& column, std::string_view cell) {
  if (is_unanswered(cell)) {
    row_.powers.push_back({*column.source, std::nullopt, cell.empty() ? "no answer" : cell});
    return;
  }
  const auto watts = parse_log_number(column, cell);
  if (!watts) blame(column, cell);
  row_.has_reading = row_.has_reading || watts.has_value();
  row_.powers.push_back({*column.source, watts, watts ? std::string_view() : kUnreadable});
}

void RowReader::read_identity(const LogColumn& column, std::string_view cell) {
  if (!may_identify(column.field, cell)) return blame(column, cell);
  if (column.field == LogField::index) row_.device.index = *gpu_number(cell);
  if (column.field == LogField::gpu) {
    const auto index = gpu_number(cell);
    if (!index) row_.device.name = cell;
    if (index) row_.device.index = *index;
  }
  if (column.field == LogField::uuid) row_.device.uuid = cell;
  if (column.field == LogField::pci_bus_id) row_.device.pci = cell;
  if (column.field == LogField::name) row_.device.name = cell;
  if (column.field == LogField::driver_version) row_.device.driver = cell;
  if (column.field == LogField::host) row_.device.host = cell;
}

void RowReader::read_limit(const LogColumn& column, std::string_view cell) {
  const auto watts = parse_log_number(column, cell);
  if (!watts) return blame(column, cell);
  row_.device.power_limit = std::max(row_.device.power_limit.value_or(Watts(0)), Watts(*watts));
}

void RowReader::read_state(const LogColumn& column, std::string_view cell) {
  if (column.field == LogField::p_state) {
    row_.health.p_state = parse_p_state(cell);
    if (!row_.health.p_state) return blame(column, cell);
  } else {
    row_.health.clocks_event_reasons = parse_hex(cell);
    if (!row_.health.clocks_event_reasons) return blame(column, cell);
  }
  row_.has_reading = true;
}

void RowReader::read_quantity(const LogColumn& column, std::string_view cell) {
  const auto value = parse_log_number(column, cell);
  if (!value) return blame(column, cell);
  row_.has_reading = true;
  if (column.field == LogField::memory_used) {
    row_.health.memory_used_bytes = static_cast<std::uint64_t>(*value);
  } else {
    slot(row_.health, column.field) = value;
  }
}

void RowReader::read(const LogColumn& column, std::string_view cell) {
  switch (column.field) {
    case LogField::ignored:
      return;
    case LogField::power:
    case LogField::energy:
      return read_power(column, cell);
    case LogField::date:
      date_ = cell;
      return;
    case LogField::timestamp:
      return read_stamp(column, cell);
    default:
      break;
  }
  if (is_unanswered(cell)) return;
  switch (column.field) {
    case LogField::index:
    case LogField::gpu:
    case LogField::uuid:
    case LogField::pci_bus_id:
    case LogField::name:
    case LogField::driver_version:
    case LogField::host:
      return read_identity(column, cell);
    case LogField::power_limit:
      return read_limit(column, cell);
    case LogField::p_state:
    case LogField::event_reasons:
      return read_state(column, cell);
    default:
      return read_quantity(column, cell);
  }
}

/// The first of these that the log has tells its GPUs apart.
constexpr LogField kKeyFields[] = {LogField::uuid, LogField::pci_bus_id, LogField::index,
                                   LogField::gpu, LogField::name};

std::optional<std::size_t> column_of(const std::vector<LogColumn>& columns, LogField field) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].field == field) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> key_column(const std::vector<LogColumn>& columns) {
  for (const LogField field : kKeyFields) {
    if (const auto column = column_of(columns, field)) return column;
  }
  return std::nullopt;
}

/// Whether the row says of which host it is, where the log does.
bool says_host(const std::vector<LogColumn>& columns, const std::vector<std::string_view>& cells) {
  const auto column = column_of(columns, LogField::host);
  if (!column) return true;
  return *column < cells.size() &&
         (is_unanswered(cells[*column]) || may_identify(LogField::host, cells[*column]));
}

/// The GPU of a column of its own.
std::optional<std::size_t> own_column(const std::vector<LogColumn>& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].gpu) return i;
  }
  return std::nullopt;
}

void find_key(const std::vector<LogColumn>& columns, const std::vector<std::string_view>& cells,
              LogRow& row) {
  row.key = "";
  row.is_unique = false;
  if (!says_host(columns, cells)) {
    row.key.reset();
    return;
  }
  if (const auto own = own_column(columns)) {
    row.key = columns[*own].title;
    row.is_unique = true;
    row.device.index = *columns[*own].gpu;
    return;
  }
  const auto column = key_column(columns);
  if (!column) return;
  row.key.reset();
  if (*column >= cells.size()) return;
  const std::string_view cell = cells[*column];
  if (is_unanswered(cell)) {
    row.key = "";
  } else if (may_identify(columns[*column].field, cell)) {
    row.key = cell;
    const bool is_name = columns[*column].field == LogField::name ||
                         (columns[*column].field == LogField::gpu && !gpu_number(cell));
    row.is_unique = !is_name;
  }
}

}  // namespace

void read_log_row(const std::vector<LogColumn>& columns, const std::vector<std::string_view>& cells,
                  LogStampReader& stamps, LogRow& row) {
  row.stamp.reset();
  row.device.index = 0;
  for (std::string* text : {&row.device.name, &row.device.uuid, &row.device.pci, &row.device.driver,
                            &row.device.host}) {
    text->clear();
  }
  row.device.power_limit.reset();
  row.powers.clear();
  row.health = {};
  row.has_reading = false;
  row.fault.clear();
  RowReader reader(stamps, row);
  const std::size_t count = std::min(columns.size(), cells.size());
  for (std::size_t i = 0; i < count; ++i) reader.read(columns[i], cells[i]);
  find_key(columns, cells, row);
}

}  // namespace truewatt::trace
