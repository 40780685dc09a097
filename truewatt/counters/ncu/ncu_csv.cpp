#include "truewatt/counters/ncu/ncu_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "truewatt/base/parse.hpp"
#include "truewatt/counters/ncu/csv_records.hpp"
#include "truewatt/counters/ncu/ncu_number.hpp"
#include "truewatt/counters/refusal.hpp"

namespace truewatt::counters::ncu {
namespace {

using Cells = std::vector<std::string>;
constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kHowToRecord =
    "record with `ncu --csv --page raw --print-units base --metrics ...`, as docs/reference.md has "
    "it";

/// Where a table has what. A raw table has a column for each metric and their units in a row of
/// their own; the other has a row for each metric.
struct Columns {
  std::size_t id = kNoColumn;
  std::size_t process = kNoColumn;
  std::size_t kernel = kNoColumn;
  std::size_t device = kNoColumn;
  std::size_t metric = kNoColumn;
  std::size_t unit = kNoColumn;
  std::size_t value = kNoColumn;
  std::vector<std::pair<std::size_t, std::string>> metrics{};  ///< of a raw table
  Cells units{};                                               ///< of a raw table

  bool is_raw() const { return metric == kNoColumn; }
};

std::string_view cell_at(const Cells& cells, std::size_t column) {
  return column < cells.size() ? std::string_view(cells[column]) : std::string_view{};
}

bool is_sum(std::string_view metric) {
  return metric.ends_with(".sum") && metric.find("__") != std::string_view::npos;
}

/// The metric of a column, and its unit where the column's name ends with one: "x.sum [Kbyte]".
std::pair<std::string, std::string> metric_and_unit(std::string_view column) {
  const auto bracket = column.find(" [");
  if (bracket == std::string_view::npos || !column.ends_with(']')) return {std::string(column), ""};
  const auto unit = column.substr(bracket + 2, column.size() - bracket - 3);
  return {std::string(column.substr(0, bracket)), std::string(unit)};
}

void set_column(std::string_view name, std::size_t at, Columns& columns) {
  const std::pair<std::string_view, std::size_t Columns::*> kNames[] = {
      {"ID", &Columns::id},
      {"Process ID", &Columns::process},
      {"Kernel Name", &Columns::kernel},
      {"Device", &Columns::device},
      {"Metric Name", &Columns::metric},
      {"Metric Unit", &Columns::unit},
      {"Metric Value", &Columns::value}};
  for (const auto& [known, column] : kNames) {
    if (name == known) columns.*column = at;
  }
}

/// The columns that a table's first row names; nothing where it is no such row.
std::optional<Columns> read_header(const Cells& cells) {
  Columns columns;
  columns.units.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    set_column(cells[i], i, columns);
    auto [metric, unit] = metric_and_unit(cells[i]);
    if (!is_sum(metric)) continue;
    columns.metrics.emplace_back(i, std::move(metric));
    columns.units[i] = std::move(unit);
  }
  if (columns.id == kNoColumn || columns.kernel == kNoColumn) return std::nullopt;
  if (!columns.is_raw() && columns.value == kNoColumn) return std::nullopt;
  return columns;
}

/// A value whose number is read once all are known: they say which locale wrote them.
struct RawValue {
  std::size_t launch = 0;
  std::string metric;
  double scale = 1.0;
  std::string number;
};

class Table {
 public:
  void add(const Cells& cells) {
    if (auto header = read_header(cells)) {
      columns_ = std::move(*header);
    } else if (columns_) {
      add_row(cells);
    }
  }

  bool has_header() const { return columns_.has_value(); }

  Result<NcuReport> finish() && {
    const auto style = common_style();
    if (!style) return Unexpected(style.error());
    for (const auto& value : values_) set(value, *style);
    for (auto& launch : report_.launches) launch.counts = counts_of(launch.values);
    add_notes();
    return std::move(report_);
  }

 private:
  void add_row(const Cells& cells) {
    if (columns_->kernel >= cells.size()) return;  // a line of the program
    const auto id = cell_at(cells, columns_->id);
    if (id.empty() && columns_->is_raw() && cells.size() == columns_->units.size()) {
      add_units(cells);
    } else if (!parse_integer<std::uint64_t>(id)) {
      ++bad_rows_;
    } else if (columns_->is_raw()) {
      add_raw(cells);
    } else {
      add_detail(cells);
    }
  }

  void add_units(const Cells& cells) {
    for (const auto& column : columns_->metrics)
      columns_->units[column.first] = cells[column.first];
  }

  void add_raw(const Cells& cells) {
    const std::size_t launch = launch_of(cells);
    for (const auto& [column, metric] : columns_->metrics) {
      add_value(launch, metric, columns_->units[column], cell_at(cells, column));
    }
  }

  void add_detail(const Cells& cells) {
    const std::size_t launch = launch_of(cells);
    const auto metric = cell_at(cells, columns_->metric);
    if (!is_sum(metric)) return;
    add_value(launch, metric, cell_at(cells, columns_->unit), cell_at(cells, columns_->value));
  }

  void add_value(std::size_t launch, std::string_view metric, std::string_view unit,
                 std::string_view number) {
    const auto scale = unit_scale(unit);
    if (!scale || number.empty()) return;
    values_.push_back({launch, std::string(metric), *scale, std::string(number)});
  }

  std::size_t launch_of(const Cells& cells) {
    const std::pair key(std::string(cell_at(cells, columns_->process)),
                        std::string(cell_at(cells, columns_->id)));
    const auto [found, is_new] = numbers_.emplace(key, report_.launches.size());
    if (is_new) {
      report_.launches.push_back({.id = key.second,
                                  .process = key.first,
                                  .kernel = std::string(cell_at(cells, columns_->kernel)),
                                  .device = parse_integer<int>(cell_at(cells, columns_->device))});
    }
    return found->second;
  }

  Result<NumberStyle> common_style() const {
    const RawValue* seen[2] = {nullptr, nullptr};
    for (const auto& value : values_) {
      const auto style = style_of(value.number);
      if (style) seen[static_cast<int>(*style)] = &value;
    }
    if (seen[0] == nullptr || seen[1] == nullptr) {
      return seen[1] != nullptr ? NumberStyle::comma : NumberStyle::point;
    }
    return Unexpected(
        Errc::parse, fmt::format("ncu's table has numbers of two kinds, \"{}\" and \"{}\"; run ncu "
                                 "with LC_ALL=C",
                                 seen[0]->number, seen[1]->number));
  }

  void set(const RawValue& value, NumberStyle style) {
    if (const auto number = parse_count(value.number, style)) {
      report_.launches[value.launch].values.insert_or_assign(value.metric, *number * value.scale);
    } else {
      not_counted_.insert_or_assign(value.metric, value.number);
    }
  }

  void add_notes() {
    for (const auto& [metric, number] : not_counted_) {
      report_.notes.push_back(fmt::format("ncu did not count {} (\"{}\")", metric, number));
    }
    if (bad_rows_ > 0) {
      report_.notes.push_back(fmt::format("{} rows of ncu's table were not understood", bad_rows_));
    }
  }

  std::optional<Columns> columns_;
  std::map<std::pair<std::string, std::string>, std::size_t> numbers_;
  std::vector<RawValue> values_;
  std::map<std::string, std::string> not_counted_;
  std::size_t bad_rows_ = 0;
  NcuReport report_;
};

/// The first line of ncu's own errors, or nothing.
std::optional<std::string> first_error(std::string_view text) {
  constexpr std::string_view kMark = "==ERROR== ";
  constexpr std::size_t kLongest = 300;
  const auto at = text.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const auto line = text.substr(at + kMark.size());
  auto shown = line.substr(0, std::min(line.find_first_of("\r\n"), kLongest));
  return std::string(shown);
}

bool says(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

bool has_counts(const LaunchCounts& launch) {
  if (!launch.counts.pipe_instructions.empty()) return true;
  for (int i = 0; i <= static_cast<int>(Field::last_); ++i) {
    if (value_of(launch.counts, static_cast<Field>(i))) return true;
  }
  return false;
}

/// Why there are no counts.
Unexpected nothing_counted(std::string_view text, bool has_table) {
  if (says(text, "ERR_NVGPUCTRPERM")) {
    return Unexpected(counters_refused("ncu was refused (ERR_NVGPUCTRPERM)"));
  }
  if (says(text, "driver resource was unavailable")) {
    return {Errc::unavailable,
            "ncu could not count: another program counts on this GPU; end profilers, pause DCGM "
            "(dcgmi profile --pause) and try again"};
  }
  if (const auto error = first_error(text)) {
    return {Errc::device, fmt::format("ncu failed: {}", *error)};
  }
  if (says(text, "No kernels were profiled")) {
    return {Errc::insufficient_data,
            "ncu saw no kernel; with --target-processes all it follows child processes"};
  }
  if (!has_table) {
    return {Errc::parse, fmt::format("this is not a table of ncu; {}", kHowToRecord)};
  }
  return {
      Errc::insufficient_data,
      fmt::format("ncu's table has none of the counters that truewatt reads; {}", kHowToRecord)};
}

}  // namespace

Result<NcuReport> parse_ncu_csv(std::string_view text) {
  CsvRecords records(text);
  Table table;
  while (const auto cells = records.next()) table.add(*cells);
  if (!table.has_header()) return nothing_counted(text, false);
  auto report = std::move(table).finish();
  if (!report) return report;
  if (std::none_of(report->launches.begin(), report->launches.end(), has_counts)) {
    return nothing_counted(text, true);
  }
  return report;
}

}  // namespace truewatt::counters::ncu
