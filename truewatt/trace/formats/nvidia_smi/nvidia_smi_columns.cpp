#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/stamps/log_stamp.hpp"
#include "truewatt/trace/text.hpp"

namespace truewatt::trace {
namespace {

struct Title {
  std::string_view text;
  LogField field;
};
/// Both spellings where nvidia-smi knows an alias (`nvidia-smi --help-query-gpu`), and those of
/// people's own loggers, all in lower case.
constexpr std::array kTitles{
    Title{"timestamp", LogField::timestamp},
    Title{"time", LogField::timestamp},
    Title{"datetime", LogField::timestamp},
    Title{"time_stamp", LogField::timestamp},
    Title{"date", LogField::date},
    Title{"elapsed", LogField::timestamp},
    Title{"t_s", LogField::timestamp},
    Title{"index", LogField::index},
    Title{"gpu", LogField::gpu},
    Title{"gpu_id", LogField::index},
    Title{"gpu_index", LogField::index},
    Title{"uuid", LogField::uuid},
    Title{"gpu_uuid", LogField::uuid},
    Title{"pci.bus_id", LogField::pci_bus_id},
    Title{"gpu_bus_id", LogField::pci_bus_id},
    Title{"name", LogField::name},
    Title{"gpu_name", LogField::name},
    Title{"driver_version", LogField::driver_version},
    Title{"host", LogField::host},
    Title{"hostname", LogField::host},
    Title{"host_name", LogField::host},
    Title{"node", LogField::host},
    Title{"nodename", LogField::host},
    Title{"node_name", LogField::host},
    Title{"instance", LogField::host},
    Title{"total_energy_consumption", LogField::energy},
    Title{"energy_mj", LogField::energy},
    Title{"energy_counter", LogField::energy},
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
constexpr int kHighestIndex = 4095;  // of a GPU in a title or a cell
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

/// Splits `46.19 W` (or `power.draw [W]`) behind its first part.
struct TextAndUnit {
  std::string_view text;
  std::string_view unit;
};

TextAndUnit split_title(std::string_view cell) {
  const std::size_t bracket = cell.find_first_of("[(");
  if (bracket == std::string_view::npos || (!cell.ends_with(']') && !cell.ends_with(')'))) {
    return {cell, {}};
  }
  return {trim(cell.substr(0, bracket)), cell.substr(bracket + 1, cell.size() - bracket - 2)};
}

constexpr std::array<std::string_view, 4> kTimeUnits{"s", "ms", "us", "ns"};

/// `elapsed_ms` is `elapsed` in ms.
TextAndUnit split_time_title(std::string_view title) {
  const std::size_t bar = title.rfind('_');
  if (bar == std::string_view::npos) return {title, {}};
  const std::string_view unit = title.substr(bar + 1);
  const bool is_unit = std::find(kTimeUnits.begin(), kTimeUnits.end(), unit) != kTimeUnits.end();
  return is_unit ? TextAndUnit{title.substr(0, bar), unit} : TextAndUnit{title, {}};
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

/// `energy_counter_j` is a counter in J.
TextAndUnit split_counter_title(std::string_view lower) {
  constexpr std::array<std::string_view, 3> kCounters{"total_energy_consumption", "total_energy",
                                                      "energy_counter"};
  const std::size_t bar = lower.rfind('_');
  const bool is_counter =
      std::find(kCounters.begin(), kCounters.end(), lower.substr(0, bar)) != kCounters.end();
  const auto unit = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& one) {
    return one.field == LogField::energy && lower_case(one.text) == lower.substr(bar + 1);
  });
  const bool is_one = is_counter && unit != kUnits.end();
  return is_one ? TextAndUnit{lower.substr(0, bar), unit->text} : TextAndUnit{lower, {}};
}

/// The words and numbers of a title: `gpu0_power_w` has gpu, 0, power, w.
std::vector<std::string> words_of(std::string_view lower) {
  const auto kind = [](char c) {
    if (c >= '0' && c <= '9') return 1;
    return c >= 'a' && c <= 'z' ? 2 : 0;
  };
  std::vector<std::string> words;
  int last = 0;
  for (const char c : lower) {
    const int now = kind(c);
    if (now != 0 && now != last) words.emplace_back();
    if (now != 0) words.back() += c;
    last = now;
  }
  return words;
}

/// A power column of somebody's own logger: `power_w`, `GPU power`, `GPU0`, `gpu_1_power_mw`. Any
/// other word makes it something else.
std::optional<LogColumn> parse_own_title(std::string_view text, std::string_view lower,
                                         std::string_view unit) {
  LogColumn column{LogField::power, SourceId{SourceKind::power_usage, Scope::gpu},
                   std::string(text), std::string(unit)};
  column.is_guess = true;
  bool says_power = false;
  bool says_gpu = false;
  for (const std::string& word : words_of(lower)) {
    if (const auto number = parse_integer<int>(word)) {
      if (column.gpu || !says_gpu || *number > kHighestIndex) return std::nullopt;
      column.gpu = *number;
    } else if (word == "gpu") {
      says_gpu = true;
    } else if (word == "power" || word == "watts" || word == "watt") {
      says_power = true;
    } else if (word == "w" || word == "mw" || word == "kw") {
      column.unit = word == "w" ? "W" : word == "mw" ? "mW" : "kW";
    } else if (word != "draw" && word != "usage") {
      return std::nullopt;
    }
  }
  if (!says_power && !column.gpu) return std::nullopt;
  return column;
}

TextAndUnit split_value(std::string_view cell) {
  const std::size_t blank = cell.find(' ');
  if (blank != std::string_view::npos) return {cell.substr(0, blank), trim(cell.substr(blank))};
  // `46.25W`, as people's own scripts write it.
  const std::size_t unit = cell.find_first_not_of("0123456789.");
  const bool is_glued = unit != std::string_view::npos && unit > 0 &&
                        (cell.substr(unit) == "W" || cell.substr(unit) == "mW");
  return is_glued ? TextAndUnit{cell.substr(0, unit), cell.substr(unit)} : TextAndUnit{cell, {}};
}

LogColumn parse_title(std::string_view cell) {
  const auto [text, unit] = split_title(cell);
  const std::string lower = lower_case(text);
  LogColumn column{LogField::ignored, std::nullopt, std::string(text), std::string(unit)};
  for (const Title& title : kTitles) {
    if (title.text == lower) column.field = title.field;
  }
  if (const auto source = source_of_title(lower)) {
    column.field = LogField::power;
    column.source = *source;
  }
  const auto [time, time_unit] = split_time_title(lower);
  for (const Title& title : kTitles) {
    if (title.field != LogField::timestamp || title.text != time || time_unit.empty()) continue;
    column.field = title.field;
    column.unit = time_unit;
  }
  if (const auto [counter, of_counter] = split_counter_title(lower); !of_counter.empty()) {
    column.field = LogField::energy;
    column.unit = of_counter;
  }
  if (column.field == LogField::energy) {
    column.source = SourceId{SourceKind::energy_counter, Scope::gpu};
  }
  if (column.field != LogField::ignored) return column;
  return parse_own_title(text, lower, unit).value_or(column);
}

bool same_subject(const LogColumn& a, const LogColumn& b) {
  // Of several limits each is a bound.
  return a.field == b.field && a.source == b.source && a.gpu == b.gpu &&
         a.field != LogField::power_limit;
}

bool is_exact_power(const LogColumn& column) {
  return column.field == LogField::power && !column.is_guess;
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
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto here = columns.begin() + static_cast<std::ptrdiff_t>(i);
    const bool repeated = std::any_of(columns.begin(), here, [&](const LogColumn& other) {
      return same_subject(columns[i], other);
    });
    if (repeated || (is_exact && columns[i].is_guess)) ignore(columns[i]);
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
