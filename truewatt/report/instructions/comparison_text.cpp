#include "truewatt/report/instructions/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "truewatt/base/format.hpp"
#include "truewatt/report/instructions/instruction_words.hpp"
#include "truewatt/report/page/assets.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;
using kernels::Optimization;

std::string name_of(const Table& table) {
  return printable(table.device.name.empty() ? "unnamed GPU" : table.device.name);
}

/// Mean of our rows that belong to a row of Table I; 0 where there is none.
double mean_of(const Table& table, const std::string& group, const std::string& paper,
               Optimization optimization) {
  double sum = 0.0;
  int rows = 0;
  for (const Row& row : table.rows) {
    const bool belongs = row.valid && row.paper == paper && row.group == group &&
                         row.key.optimization == optimization &&
                         row.key.operands == kernels::Operands::random;
    if (!belongs) continue;
    sum += row.dynamic_j->value;
    ++rows;
  }
  return rows > 0 ? sum / rows : 0.0;
}

/// `12.01 pJ ± 0.12 pJ (1.0 %)`, in the unit that suits its size.
std::string energy_text(const Interval& joules) {
  constexpr std::pair<double, const char*> kUnits[] = {
      {1.0, "J"}, {1e3, "mJ"}, {1e6, "uJ"}, {1e9, "nJ"}};
  for (const auto& [factor, unit] : kUnits) {
    if (factor * std::abs(joules.value) >= 1) return format_interval(scaled(joules, factor), unit);
  }
  return format_interval(scaled(joules, kPicojoules), "pJ");
}

/// " of one thread of KERNEL"; empty where counts alone are known.
std::string of_what(const instructions::Prediction& prediction) {
  if (prediction.of.kernel.empty()) return "";
  return fmt::format(" of {}{}", prediction.of.one_thread ? "one thread of " : "",
                     printable(prediction.of.kernel));
}

}  // namespace

std::string compared_tables_text(const Table& table, const Table& other,
                                 const std::vector<instructions::ComparedRow>& compared,
                                 const TextOptions& options) {
  TextTable text{.head = {{"pJ above idle with a context", "this", "other", "this / other"}},
                 .left_aligned = 1};
  for (const instructions::ComparedRow& row : compared) {
    text.rows.push_back(
        {fmt::format("{} {}", row.key.instruction, kernels::to_string(row.key.optimization)),
         picojoules_text(row.energy_j), picojoules_text(row.other_j), unitless_text(row.ratio)});
  }
  std::string out = fmt::format("\n this: {}, other: {}\n\n", name_of(table), name_of(other));
  if (text.rows.empty()) return out + " No row has a number in both.\n\n";
  out += to_text(text, " ") + "\n";
  return out +
         hanging(" ",
                 "Each on its own sensor's scale: two uncalibrated boards of one kind may "
                 "differ by several percent more.",
                 static_cast<std::size_t>(options.width)) +
         "\n";
}

std::string compared_with_arafa_text(const Table& table, const TextOptions& options) {
  const auto published = nlohmann::json::parse(kPublishedInstructions);
  const auto width = static_cast<std::size_t>(options.width);
  TextTable text{
      .head = {{"row of Table I", "this, pJ", "", "", "", "", ""},
               {"", "O3 / O0", "Maxwell uJ", "Pascal uJ", "Volta uJ", "Turing uJ", "Volta / this"}},
      .left_aligned = 1};
  const auto& gpus = published.at("gpus");
  for (std::size_t i = 0; i < gpus.front().at("rows").size(); ++i) {
    const auto& row = gpus.front().at("rows").at(i);
    const auto group = row.at("group").get<std::string>();
    const auto name = row.at("row").get<std::string>();
    const double o3 = mean_of(table, group, name, Optimization::O3);
    const double o0 = mean_of(table, group, name, Optimization::O0);
    if (o3 <= 0 && o0 <= 0) continue;
    std::vector<std::string> cells{fmt::format("{}: {}", group, name),
                                   fmt::format("{} / {}", o3 > 0 ? plain(kPicojoules * o3, 3) : "-",
                                               o0 > 0 ? plain(kPicojoules * o0, 3) : "-")};
    for (const auto& gpu : gpus) {
      const auto& value = gpu.at("rows").at(i).at("O3_uj");
      cells.push_back(value.is_number() ? fmt::format("{:.3g}", value.get<double>()) : "-");
    }
    const auto& volta = gpus.at(2).at("rows").at(i).at("O3_uj");
    cells.push_back(
        volta.is_number() && o3 > 0 ? fmt::format("{:.0f}", 1e-6 * volta.get<double>() / o3) : "-");
    text.rows.push_back(std::move(cells));
  }
  std::string out =
      fmt::format("\n {} beside {}\n\n", name_of(table), published.at("source").get<std::string>());
  out += to_text(text, " ") + "\n";
  return out +
         hanging(" What its values are worth: ", published.at("worth").get<std::string>() + ".",
                 width) +
         "\n";
}

std::string compared_with_published_text(const Table& table, const TextOptions& options) {
  const auto published = nlohmann::json::parse(kPublishedValues);
  TextTable text{.head = {{"pJ of a thread", "above", "this", "published", "this / it", "where"}},
                 .left_aligned = 2};
  for (const auto& value : published.at("values")) {
    const auto name = value.at("instruction").get<std::string>();
    const Row* row = find_row(table, {name, Optimization::O3, kernels::Operands::random});
    if (row == nullptr || !row->valid) continue;
    const bool above_spin = value.at("above") == "spin";
    const auto& ours = above_spin ? row->above_spin_j : row->dynamic_j;
    const double theirs = value.at("pj").get<double>();
    if (!ours) continue;
    text.rows.push_back({name, above_spin ? "spinning" : "idle", picojoules_text(ours),
                         plain(theirs, 3), plain(kPicojoules * ours->value / theirs, 3),
                         fmt::format("{}, {}", value.at("gpu").get<std::string>(),
                                     value.at("source").get<std::string>())});
  }
  std::string out = fmt::format("\n {} beside published values\n\n", name_of(table));
  if (text.rows.empty()) return out + " No row has a number in both.\n\n";
  out += to_text(text, " ") + "\n";
  return out +
         hanging(" What they are worth: ", published.at("worth").get<std::string>(),
                 static_cast<std::size_t>(options.width)) +
         "\n";
}

std::string prediction_text(const Table& table, const instructions::Prediction& prediction,
                            const TextOptions& options) {
  constexpr std::size_t kShown = 12;
  const auto width = static_cast<std::size_t>(options.width);
  std::string text = fmt::format(
      "\n Predicted above idle with a context{}: {}\n", of_what(prediction),
      prediction.energy_j ? energy_text(*prediction.energy_j) : "none of it is in the table");
  if (table.scale && prediction.energy_j) text += hanging(" ", scale_words(table), width);
  text += fmt::format(" The table holds {:.1f} % of the executed instructions.\n",
                      100 * prediction.covered);
  const int of_code = prediction.of.sm;
  if (of_code > 0 && table.compute_capability > 0 && of_code != table.compute_capability) {
    text += hanging(" ",
                    fmt::format("The code is for sm_{}, and the table was measured on sm_{}: "
                                "instructions of one name may cost otherwise there.",
                                of_code, table.compute_capability),
                    width);
  }
  if (prediction.of.one_thread) {
    text += hanging(" ",
                    "Without --counts every instruction of the code counts once, those of loops "
                    "and of slow paths too.",
                    width);
  }
  text += "\n";
  TextTable parts{.head = {{"instruction", "count", "energy", "share"}}, .left_aligned = 1};
  for (const auto& part : prediction.parts) {
    if (parts.rows.size() == kShown && !options.verbose) break;
    parts.rows.push_back(
        {printable(part.name), fmt::format("{:.4g}", part.count),
         format_si(part.energy_j.value, "J"),
         fmt::format("{:.1f} %", 100 * part.energy_j.value / prediction.energy_j->value)});
  }
  if (!parts.rows.empty()) text += to_text(parts, " ") + "\n";
  for (const auto& [name, count] : prediction.missing) {
    text += fmt::format(" not in the table: {}, {:.4g} times\n", printable(name), count);
  }
  if (!prediction.of.uncounted.empty()) {
    text += hanging(" in the code and not counted: ",
                    printable(fmt::format("{}", fmt::join(prediction.of.uncounted, ", "))), width);
  }
  return text + "\n";
}

}  // namespace truewatt::report
