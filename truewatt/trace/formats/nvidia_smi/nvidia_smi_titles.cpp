// What the titles of logs' columns say.

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "truewatt/base/parse.hpp"
#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
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
    Title{"gpu_id", LogField::gpu},
    Title{"gpu_index", LogField::gpu},
    Title{"gpu index", LogField::gpu},
    Title{"gpu_idx", LogField::gpu},
    Title{"minor_number", LogField::gpu},
    Title{"uuid", LogField::uuid},
    Title{"gpu_uuid", LogField::uuid},
    Title{"pci.bus_id", LogField::pci_bus_id},
    Title{"gpu_bus_id", LogField::pci_bus_id},
    Title{"pci_bus_id", LogField::pci_bus_id},
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

/// Which say of which GPU a row is where no other column does.
constexpr std::array<std::string_view, 6> kPerhapsGpu{"device", "device_id",  "device_index",
                                                      "card",   "local_rank", "rank"};

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
  constexpr std::array<std::string_view, 6> kEnergies{"mJ", "J", "kJ", "mWh", "Wh", "kWh"};
  constexpr std::array<std::string_view, 3> kCounters{"total_energy_consumption", "total_energy",
                                                      "energy_counter"};
  const std::size_t bar = lower.rfind('_');
  const bool is_counter =
      std::find(kCounters.begin(), kCounters.end(), lower.substr(0, bar)) != kCounters.end();
  const auto unit = std::find_if(kEnergies.begin(), kEnergies.end(), [&](std::string_view one) {
    return lower_case(one) == lower.substr(bar + 1);
  });
  const bool is_one = is_counter && unit != kEnergies.end();
  return is_one ? TextAndUnit{lower.substr(0, bar), *unit} : TextAndUnit{lower, {}};
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

/// A power column of somebody's own logger: `power_w`, `GPU power`, `GPU0`, `gpu_1_power_mw`; or
/// one GPU's counter, `gpu_1_energy_mj`, `gpu1_total_energy_j`. Any other word makes it something
/// else.
std::optional<LogColumn> parse_own_title(std::string_view text, std::string_view lower,
                                         std::string_view unit) {
  LogColumn column{LogField::power, SourceId{SourceKind::power_usage, Scope::gpu},
                   std::string(text), std::string(unit)};
  column.is_guess = true;
  bool says_power = false;
  bool says_gpu = false;
  bool says_energy = false;
  bool says_counter = false;
  std::string joules;
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
    } else if (word == "energy") {
      says_energy = true;
    } else if (word == "counter" || word == "total" || word == "consumption") {
      says_counter = true;
    } else if (word == "mj" || word == "j" || word == "kj") {
      joules = word == "mj" ? "mJ" : word == "j" ? "J" : "kJ";
    } else if (word != "draw" && word != "usage") {
      return std::nullopt;
    }
  }
  if (says_energy || says_counter || !joules.empty()) {
    // Joules that a script added up are no counter.
    const bool is_counter = says_energy && column.gpu && (joules == "mJ" || says_counter);
    if (!is_counter || says_power) return std::nullopt;
    column.field = LogField::energy;
    column.source = SourceId{SourceKind::energy_counter, Scope::gpu};
    column.unit = joules.empty() ? column.unit : joules;
    column.is_guess = false;
    return column;
  }
  if (!says_power && !column.gpu) return std::nullopt;
  return column;
}

}  // namespace

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
  if (std::find(kPerhapsGpu.begin(), kPerhapsGpu.end(), lower) != kPerhapsGpu.end()) {
    column.field = LogField::gpu;
    column.is_guess = true;
  }
  if (column.field != LogField::ignored) return column;
  return parse_own_title(text, lower, unit).value_or(column);
}

std::optional<int> gpu_number(std::string_view cell) {
  constexpr std::array<std::string_view, 4> kWords{"gpu", "cuda", "device", "card"};
  // As pandas writes a column in which some cells are empty.
  constexpr std::string_view kFloat = ".0";
  if (cell.ends_with(kFloat)) cell.remove_suffix(kFloat.size());
  if (const auto number = parse_integer<int>(cell)) return number;
  // Rows are many, and most other cells are names of products.
  constexpr std::string_view kBegin = "gGcCdD";
  if (cell.empty() || kBegin.find(cell.front()) == std::string_view::npos) return std::nullopt;
  const std::vector<std::string> words = words_of(lower_case(cell));
  const bool is_one =
      words.size() == 2 && std::find(kWords.begin(), kWords.end(), words.front()) != kWords.end();
  return is_one ? parse_integer<int>(words.back()) : std::nullopt;
}

}  // namespace truewatt::trace
