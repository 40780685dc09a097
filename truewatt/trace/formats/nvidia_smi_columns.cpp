#include "truewatt/trace/formats/nvidia_smi_columns.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

struct Title {
  std::string_view text;
  LogField field;
};
/// Both spellings where nvidia-smi knows an alias (`nvidia-smi --help-query-gpu`).
constexpr std::array kTitles{
    Title{"timestamp", LogField::timestamp},
    Title{"index", LogField::index},
    Title{"uuid", LogField::uuid},
    Title{"gpu_uuid", LogField::uuid},
    Title{"pci.bus_id", LogField::pci_bus_id},
    Title{"gpu_bus_id", LogField::pci_bus_id},
    Title{"name", LogField::name},
    Title{"gpu_name", LogField::name},
    Title{"driver_version", LogField::driver_version},
    Title{"power.max_limit", LogField::power_limit},
    Title{"power.limit", LogField::power_limit},
    Title{"enforced.power.limit", LogField::power_limit},
    Title{"utilization.gpu", LogField::utilization},
    Title{"pstate", LogField::p_state},
    Title{"temperature.gpu", LogField::temperature},
    Title{"clocks.current.sm", LogField::sm_clock},
    Title{"clocks.sm", LogField::sm_clock},
    Title{"clocks.current.memory", LogField::memory_clock},
    Title{"clocks.current.mem", LogField::memory_clock},
    Title{"clocks.mem", LogField::memory_clock},
    Title{"memory.used", LogField::memory_used},
    Title{"clocks_event_reasons.active", LogField::event_reasons},
    Title{"clocks_throttle_reasons.active", LogField::event_reasons},
};

/// The source of a column: `power.draw.average` of the GPU, `module.power.draw.average` of its
/// module.
std::optional<SourceId> source_of_title(std::string_view title) {
  constexpr std::string_view kOfModule = "module.";
  const bool module = title.starts_with(kOfModule);
  if (module) title.remove_prefix(kOfModule.size());
  for (const SourceKind kind : kSourceKinds) {
    const std::string_view column = row_of(kind).nvidia_smi;
    if (!column.empty() && column == title) {
      return SourceId{kind, module ? Scope::module : Scope::gpu};
    }
  }
  return std::nullopt;
}

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
    Range{LogField::memory_used, 0.0, 1e15},
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

/// Splits `46.19 W` (or `power.draw [W]`) behind its first part.
struct TextAndUnit {
  std::string_view text;
  std::string_view unit;
};

TextAndUnit split_title(std::string_view cell) {
  const std::size_t bracket = cell.find('[');
  if (bracket == std::string_view::npos || !cell.ends_with(']')) return {cell, {}};
  return {trim(cell.substr(0, bracket)), cell.substr(bracket + 1, cell.size() - bracket - 2)};
}

TextAndUnit split_value(std::string_view cell) {
  const std::size_t blank = cell.find(' ');
  if (blank == std::string_view::npos) return {cell, {}};
  return {cell.substr(0, blank), trim(cell.substr(blank))};
}

LogColumn parse_title(std::string_view cell) {
  const auto [text, unit] = split_title(cell);
  LogColumn column{LogField::ignored, std::nullopt, std::string(text), std::string(unit)};
  for (const Title& title : kTitles) {
    if (title.text == text) column.field = title.field;
  }
  if (const auto source = source_of_title(text)) {
    column.field = LogField::power;
    column.source = *source;
  }
  return column;
}

bool same_subject(const LogColumn& a, const LogColumn& b) {
  // Of several limits each is a bound.
  return a.field == b.field && a.source == b.source && a.field != LogField::power_limit;
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

/// A run of exactly `length` digits as a number, taken off the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t length) {
  int value = 0;
  if (text.size() < length) return std::nullopt;
  for (const char c : text.substr(0, length)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(length);
  return value;
}

bool take_any_of(std::string_view& text, std::string_view allowed) {
  if (text.empty() || allowed.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_any_of(text, "/-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_any_of(text, "/-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || *year < 1970 || *year > 2099) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

/// What stands behind the whole seconds: nothing, or a point and digits to the end.
std::optional<Nanoseconds> take_fraction(std::string_view text) {
  if (text.empty()) return Nanoseconds(0);
  if (text.front() != '.' || text.find_first_not_of("0123456789", 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return parse_seconds("0" + std::string(text));
}

std::optional<Nanoseconds> take_time_of_day(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take_any_of(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || !take_any_of(text, ":")) return std::nullopt;
  const auto second = take_digits(text, 2);
  if (!second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  const auto fraction = take_fraction(text);
  if (!fraction) return std::nullopt;
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second) +
         *fraction;
}

}  // namespace

std::optional<std::vector<LogColumn>> parse_log_header(const std::vector<std::string_view>& cells) {
  std::vector<LogColumn> columns;
  bool has_timestamp = false;
  for (const std::string_view cell : cells) {
    LogColumn column = parse_title(cell);
    has_timestamp = has_timestamp || column.field == LogField::timestamp;
    const bool repeated = std::any_of(columns.begin(), columns.end(), [&column](const auto& other) {
      return same_subject(column, other);
    });
    if (repeated) column = LogColumn{LogField::ignored, std::nullopt, column.title, column.unit};
    columns.push_back(std::move(column));
  }
  if (!has_timestamp) return std::nullopt;
  if (columns.back().title.empty()) columns.pop_back();
  return columns;
}

bool is_unanswered(std::string_view cell) {
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

std::optional<DriverTime> parse_log_time(std::string_view cell) {
  const auto date = take_date(cell);
  if (!date || !take_any_of(cell, " T")) return std::nullopt;
  const auto time = take_time_of_day(cell);
  if (!time) return std::nullopt;
  return DriverTime(date->time_since_epoch() + *time);
}

CellShape shape_of(std::string_view cell) {
  const auto [text, unit] = split_value(cell);
  const std::size_t point = text.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : text.size() - point - 1;
  return {decimals, std::string(unit)};
}

}  // namespace truewatt::trace
