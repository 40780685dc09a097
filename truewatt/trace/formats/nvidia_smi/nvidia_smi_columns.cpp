#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/stamps/log_stamp.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

struct Unit {
  LogField field;
  std::string_view text;
  double scale;  ///< into what the field is kept in
};
constexpr double kMebibyte = 1024.0 * 1024.0;
constexpr std::array kUnits{
    Unit{LogField::power, "W", 1.0},
    Unit{LogField::power, "mW", 1e-3},
    Unit{LogField::power, "kW", 1e3},
    Unit{LogField::energy, "mJ", 1e-3},
    Unit{LogField::energy, "J", 1.0},
    Unit{LogField::energy, "kJ", 1e3},
    Unit{LogField::energy, "mWh", 3.6},
    Unit{LogField::energy, "Wh", 3.6e3},
    Unit{LogField::energy, "kWh", 3.6e6},
    Unit{LogField::power_limit, "W", 1.0},
    Unit{LogField::power_limit, "mW", 1e-3},
    Unit{LogField::power_limit, "kW", 1e3},
    Unit{LogField::sm_clock, "MHz", 1.0},
    Unit{LogField::memory_clock, "MHz", 1.0},
    Unit{LogField::utilization, "%", 1.0},
    Unit{LogField::temperature, "C", 1.0},
    Unit{LogField::memory_used, "MiB", kMebibyte},
    Unit{LogField::memory_used, "B", 1.0},
    Unit{LogField::memory_used, "KiB", 1024.0},
    Unit{LogField::memory_used, "GiB", 1024.0 * kMebibyte},
};

/// What a reading can be. No board or superchip module draws 100 kW: the driver's "all bits set"
/// (4294967 W) lies beyond.
struct Range {
  LogField field;
  double lowest;
  double highest;
};
constexpr std::array kRanges{
    Range{LogField::power, 0.0, 1e5},         Range{LogField::power_limit, 1.0, 1e5},
    Range{LogField::utilization, 0.0, 100.0}, Range{LogField::temperature, -100.0, 300.0},
    Range{LogField::sm_clock, 0.0, 1e5},      Range{LogField::memory_clock, 0.0, 1e5},
    Range{LogField::memory_used, 0.0, 1e15},  Range{LogField::energy, 0.0, 1e15},
};

constexpr std::array<std::string_view, 11> kUnanswered{
    "",
    "N/A",
    "Not Supported",
    "Not Available",
    "Unknown Error",
    "Unknown",
    "Insufficient Permissions",
    "No data",
    "GPU requires reset",
    "GPU is lost",
    "Not Found",
};

TextAndUnit split_value(std::string_view cell) {
  const std::size_t blank = cell.find(' ');
  if (blank != std::string_view::npos) return {cell.substr(0, blank), trim(cell.substr(blank))};
  // `46.25W`, as people's own scripts write it.
  const std::size_t unit = cell.find_first_not_of("0123456789.");
  const bool is_glued = unit != std::string_view::npos && unit > 0 &&
                        (cell.substr(unit) == "W" || cell.substr(unit) == "mW");
  return is_glued ? TextAndUnit{cell.substr(0, unit), cell.substr(unit)} : TextAndUnit{cell, {}};
}

bool same_subject(const LogColumn& a, const LogColumn& b) {
  // Of several limits each is a bound.
  return a.field == b.field && a.source == b.source && a.gpu == b.gpu &&
         a.field != LogField::power_limit;
}

bool is_exact_power(const LogColumn& column) {
  return column.field == LogField::power && !column.is_guess;
}

/// Whether a column tells GPUs apart for sure.
bool is_exact_gpu(const LogColumn& column) {
  return !column.is_guess &&
         (column.field == LogField::index || column.field == LogField::gpu ||
          column.field == LogField::uuid || column.field == LogField::pci_bus_id || column.gpu);
}

void ignore(LogColumn& column) {
  column = LogColumn{LogField::ignored, std::nullopt, column.title, column.unit};
}

/// The factor for `unit`, or for the field's usual unit when `unit` is "".
std::optional<double> scale_of(LogField field, std::string_view unit) {
  for (const Unit& known : kUnits) {
    if (known.field == field && (unit.empty() || known.text == unit)) return known.scale;
  }
  return std::nullopt;
}

bool in_range(LogField field, double value) {
  const auto range = std::find_if(kRanges.begin(), kRanges.end(),
                                  [field](const Range& r) { return r.field == field; });
  return range == kRanges.end() || (value >= range->lowest && value <= range->highest);
}

}  // namespace

bool is_log_header(const std::vector<std::string_view>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](std::string_view cell) {
    // Rows are many; no other letter begins a title of the time.
    const char first = cell.empty() ? ' ' : static_cast<char>(cell.front() | 0x20);
    const bool may_be = first == 't' || first == 'd' || first == 'e';
    return may_be && parse_title(cell).field == LogField::timestamp;
  });
}

std::optional<std::vector<LogColumn>> parse_log_header(const std::vector<std::string_view>& cells) {
  if (!is_log_header(cells)) return std::nullopt;
  std::vector<LogColumn> columns;
  for (const std::string_view cell : cells) columns.push_back(parse_title(cell));
  const bool is_exact = std::any_of(columns.begin(), columns.end(), is_exact_power);
  const bool tells_gpu = std::any_of(columns.begin(), columns.end(), is_exact_gpu);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto here = columns.begin() + static_cast<std::ptrdiff_t>(i);
    const bool repeated = std::any_of(columns.begin(), here, [&](const LogColumn& other) {
      return same_subject(columns[i], other);
    });
    const bool is_better_told =
        columns[i].is_guess && (columns[i].field == LogField::gpu ? tells_gpu : is_exact);
    if (repeated || is_better_told) ignore(columns[i]);
  }
  if (columns.back().title.empty()) columns.pop_back();
  return columns;
}

std::optional<std::vector<LogColumn>> columns_of_row(const std::vector<std::string_view>& cells) {
  constexpr double kEpochFrom = 1e9;  // a smaller number is no date
  std::vector<LogColumn> columns(cells.size());
  std::size_t stamps = 0;
  std::size_t in_watts = 0;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [text, unit] = split_value(cells[i]);
    const auto number = parse_number(text);
    const bool is_stamp =
        parse_dated_stamp(cells[i]) || (i == 0 && number && unit.empty() && *number >= kEpochFrom);
    if (is_stamp && stamps++ == 0) {
      columns[i].field = LogField::timestamp;
    } else if (number && unit == "W") {
      ++in_watts;
      numbers = {i};
    } else if (number && unit.empty() && in_watts == 0) {
      numbers.push_back(i);
    }
  }
  const bool is_clear = in_watts == 1 || (in_watts == 0 && cells.size() == 2);
  if (stamps != 1 || !is_clear || numbers.size() != 1) return std::nullopt;
  LogColumn& power = columns[numbers.front()];
  power.field = LogField::power;
  power.source = SourceId{SourceKind::power_usage, Scope::gpu};
  power.title = "power.draw";
  power.unit = "W";
  return columns;
}

std::vector<std::vector<LogColumn>> columns_by_gpu(const std::vector<LogColumn>& columns) {
  std::set<int> gpus;
  for (const LogColumn& column : columns) {
    if (column.gpu) gpus.insert(*column.gpu);
  }
  if (gpus.empty()) return {columns};
  std::vector<std::vector<LogColumn>> all;
  for (const int gpu : gpus) {
    all.push_back(columns);
    for (LogColumn& column : all.back()) {
      const bool is_its = !column.gpu || *column.gpu == gpu;
      const bool is_whole = column.field == LogField::power && !column.gpu;
      const bool names_one = column.field == LogField::index || column.field == LogField::gpu;
      if (!is_its || is_whole || names_one) ignore(column);
    }
  }
  return all;
}

bool is_unanswered(std::string_view cell) {
  // Rows are many, and most cells are numbers.
  if (!cell.empty() && cell.front() >= '0' && cell.front() <= '9') return false;
  if (cell.starts_with('[') && cell.ends_with(']')) cell = cell.substr(1, cell.size() - 2);
  return std::find(kUnanswered.begin(), kUnanswered.end(), cell) != kUnanswered.end();
}

std::optional<double> parse_log_number(const LogColumn& column, std::string_view cell) {
  const auto [text, unit] = split_value(cell);
  const auto number = parse_number(text);
  const auto scale = scale_of(column.field, unit.empty() ? column.unit : unit);
  if (!number || !scale || !in_range(column.field, *number * *scale)) return std::nullopt;
  return *number * *scale;
}

std::optional<int> parse_p_state(std::string_view cell) {
  if (!cell.starts_with('P')) return std::nullopt;
  const auto state = parse_integer<std::int64_t>(cell.substr(1));
  if (!state || *state < 0 || *state > 15) return std::nullopt;
  return static_cast<int>(*state);
}

CellShape shape_of(std::string_view cell) {
  const auto [text, unit] = split_value(cell);
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : text.size() - point - 1;
  return {decimals, std::string(unit)};
}

}  // namespace truewatt::trace
