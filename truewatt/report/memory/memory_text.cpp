#include "truewatt/report/memory/memory_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/memory/memory_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using memory::LevelRow;
using memory::Table;

/// Millijoules, of what is in picojoules else.
constexpr double kMilli = 1e-9;
constexpr double kPerByte = 1.0 / memory::kSectorBytes;

std::string number_of(const LevelRow* row, const std::optional<Interval>& joules,
                      double factor = 1.0) {
  if (row == nullptr) return "";
  return row->valid ? sector_text(joules, factor) : "invalid";
}

std::string levels_text(const Table& table) {
  TextTable text{.head = {{"pJ per sector", "load", "of zeros", "store", "of zeros"}},
                 .left_aligned = 1};
  for (const memory::Level level : memory::kAllLevels) {
    std::vector<std::string> cells{"  " + std::string(name_of(level))};
    for (const auto operation : {kernels::MemoryOperation::load, kernels::MemoryOperation::store}) {
      for (const auto data : {kernels::Data::random, kernels::Data::zeros}) {
        const LevelRow* row = find_row(table, {level, operation, data});
        cells.push_back(row != nullptr ? number_of(row, row->sector_j) : "");
      }
    }
    text.rows.push_back(std::move(cells));
  }
  return to_text(text, " ") + "\n";
}

std::string bytes_text(const Table& table) {
  TextTable text{.head = {{"random bits", "pJ/byte", "beyond the level before", "above idle",
                           "GB/s", "SMs", "W", "MHz", "served there"}},
                 .left_aligned = 1};
  for (const LevelRow& row : table.levels) {
    if (row.key.data != kernels::Data::random) continue;
    text.rows.push_back({"  " + title_of(row), number_of(&row, row.sector_j, kPerByte),
                         number_of(&row, row.increment_j, kPerByte),
                         number_of(&row, row.above_idle_j, kPerByte),
                         row.bytes_per_s ? fmt::format("{:.0f}", *row.bytes_per_s / 1e9) : "-",
                         row.share ? fmt::format("{:.3g} %", 100 * *row.share) : "-",
                         row.power_w ? fmt::format("{:.0f}", *row.power_w) : "-",
                         row.clock_hz ? fmt::format("{:.0f}", *row.clock_hz / 1e6) : "-",
                         row.served ? fmt::format("{:.1f} %", 100 * *row.served) : "-"});
  }
  return to_text(text, " ") + "\n";
}

std::string sweep_text(const Table& table) {
  if (table.sweep.empty()) return "";
  TextTable text{
      .head = {{"threads of a block", "shared", "L1", "L2", "DRAM", "div.u32 in L1, nJ", "R²"}},
      .left_aligned = 1};
  for (const memory::Parallelism& parallel : parallelisms_of(table)) {
    std::vector<std::string> cells(7);
    cells[0] = "  " + words(parallel);
    cells[6] = fit_text(table, parallel);
    for (const memory::SweepPoint& point : table.sweep) {
      if (point.parallel != parallel) continue;
      cells[1 + static_cast<std::size_t>(point.level)] = sector_text(point.sector_j);
      if (point.level == memory::Level::l1) cells[5] = sector_text(point.division_j, 1e-3);
    }
    text.rows.push_back(std::move(cells));
  }
  return " Chains of 8-byte loads, pJ per sector above idle, all else of the loop with it:\n" +
         to_text(text, " ") + "\n";
}

std::string products_text(const Table& table) {
  if (table.products.empty()) return "";
  TextTable text{.head = {{"mJ", "measured", "predicted", "off", "in all", "off", "shared", "L1",
                           "L2", "DRAM", "computing"}},
                 .left_aligned = 1};
  for (const memory::PredictedProduct& one : table.products) {
    const auto part = [&](double joules) {
      return fmt::format("{:.0f} %", 100 * joules / one.predicted_j.value);
    };
    const double measured = one.measured_j.value;
    const double off = one.predicted_j.value - measured;
    text.rows.push_back({fmt::format("  {0} x {0}", one.size), sector_text(one.measured_j, kMilli),
                         sector_text(one.predicted_j, kMilli),
                         fmt::format("{:+.1f} %", 100 * off / measured),
                         plain(1e3 * (measured + one.static_j)),
                         fmt::format("{:+.1f} %", 100 * off / (measured + one.static_j)),
                         part(one.levels_j[0]), part(one.levels_j[1]), part(one.levels_j[2]),
                         part(one.levels_j[3]), part(one.computing_j)});
  }
  return fmt::format(
             " Products of matrices, above idle, beside what table and {} sectors predict; "
             "parts of that:\n",
             table.products.front().counted ? "counted" : "computed") +
         to_text(text, " ") + "\n";
}

/// What rows have in common is said once.
std::string invalid_text(const Table& table, std::size_t width) {
  std::vector<std::pair<std::string, std::string>> said;  // words, rows
  for (const LevelRow& row : table.levels) {
    const std::string words = reasons_text(row);
    if (words.empty() || (row.valid && row.key.data == kernels::Data::zeros)) continue;
    const auto& reasons = row.reasons;
    const bool had_no_turn =
        std::find(reasons.begin(), reasons.end(), memory::Reason::not_measured) != reasons.end();
    if (table.interrupted && had_no_turn) continue;
    const auto known =
        std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.first == words; });
    if (known == said.end()) {
      said.emplace_back(words, title_of(row));
    } else {
      known->second += "; " + title_of(row);
    }
  }
  std::string text;
  for (const auto& [words, rows] : said) {
    text += hanging(" ", fmt::format("{}: {}", rows, words), width);
  }
  return text;
}

}  // namespace

std::string memory_text(const Table& table, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::string name = table.device.name.empty() ? "unnamed GPU" : table.device.name;
  std::string text = fmt::format("\n Energy per memory access: {}\n\n", printable(name));
  for (const std::string& line : standing_of(table)) text += hanging(" ", line, width);
  text += "\n";
  if (!table.levels.empty()) text += levels_text(table);
  if (options.verbose && !table.levels.empty()) text += bytes_text(table) + sweep_text(table);
  text += products_text(table);
  text += invalid_text(table, width);
  if (table.interrupted) text += " Interrupted: what had no turn is missing.\n";
  for (const std::string& note : table.notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

}  // namespace truewatt::report
