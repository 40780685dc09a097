#include "truewatt/report/instructions/comparison_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/instructions/instruction_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using instructions::Table;
using kernels::Optimization;

std::string name_of(const Table& table) {
  return printable(table.device.name.empty() ? "unnamed GPU" : table.device.name);
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

/// " of one thread of KERNEL, operands zeros"; empty where counts alone are known, of random ones.
std::string of_what(const instructions::Prediction& prediction) {
  std::string what;
  if (!prediction.of.kernel.empty()) {
    what = fmt::format(" of {}{}", prediction.of.one_thread ? "one thread of " : "",
                       printable(prediction.of.kernel));
  }
  if (prediction.operands == kernels::Operands::random) return what;
  return fmt::format("{}, operands {}", what, to_string(prediction.operands));
}

/// Table I of Arafa et al. (2020) as one reader and optimization has it, and how many times ours
/// its third GPU's is.
TextTable arafa_table(const PublishedComparison& comparison, const std::string& reader,
                      Optimization optimization) {
  constexpr std::string_view kBeside = "TITAN V";
  TextTable text{
      .head = {{"row of Table I", "this,", "Maxwell", "Pascal", "Volta", "Turing", "Volta"},
               {"", "pJ", "uJ", "uJ", "uJ", "uJ", "/ this"}},
      .left_aligned = 1};
  for (const PublishedRow& row : comparison.rows) {
    if (row.optimization != optimization) continue;
    std::vector<std::string> cells{fmt::format("{}: {}", row.group, row.name),
                                   plain(kPicojoules * row.ours_j, 3)};
    std::string times = "-";
    for (const PublishedValue& value : row.values) {
      if (value.reader != reader) continue;
      cells.push_back(fmt::format("{:.3g}", 1e6 * value.joules));
      if (value.gpu == kBeside) times = fmt::format("{:.0f}", value.joules / row.ours_j);
    }
    // The first of four has no half precision.
    if (cells.size() < 6) cells.insert(cells.begin() + 2, "-");
    cells.push_back(times);
    text.rows.push_back(std::move(cells));
  }
  return text;
}

/// What mixed code draws beside its instructions.
std::string mixing_words(const Table& table, const instructions::Prediction& prediction) {
  const Interval& mixing = prediction.mixing_j;
  if (table.mixing) {
    return fmt::format(
        "Of it {} is what mixed code draws beside its instructions, as loops of two "
        "of them did.",
        energy_text(mixing));
  }
  return fmt::format(
      "Mixed code draws up to {:.0f} % more than its instructions in loops of their "
      "own; the upper end has that. A table of the standard rows tells how much.",
      100 * mixing.upper / prediction.energy_j->value);
}

/// Machine instructions have capital letters.
bool lacks_opcodes(const instructions::Prediction& prediction) {
  const auto& missing = prediction.missing;
  return std::any_of(missing.begin(), missing.end(), [](const auto& one) {
    return !one.first.empty() && one.first.front() >= 'A' && one.first.front() <= 'Z';
  });
}

}  // namespace

std::string compared_tables_text(const Table& table, const Table& other,
                                 const std::vector<instructions::ComparedRow>& compared,
                                 const TextOptions& options) {
  TextTable text{.head = {{"pJ above idle with a context", "this", "other", "this / other"}},
                 .left_aligned = 1};
  for (const instructions::ComparedRow& row : compared) {
    text.rows.push_back(
        {fmt::format("{} {}", instruction_name(row.key), kernels::to_string(row.key.optimization)),
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

std::string compared_with_arafa_text(const Table& table, const PublishedComparison& comparison,
                                     const TextOptions& options) {
  std::string out = fmt::format("\n {} beside {}\n", name_of(table), comparison.source);
  for (const std::string reader : {"mtsm", "papi"}) {
    if (reader != "mtsm" && !options.verbose) continue;
    for (const Optimization optimization : {Optimization::O3, Optimization::O0}) {
      const TextTable text = arafa_table(comparison, reader, optimization);
      if (text.rows.empty()) continue;
      out += fmt::format("\n {}, their {}\n\n{}", kernels::to_string(optimization),
                         reader == "mtsm" ? "MTSM" : "PAPI", to_text(text, " "));
    }
  }
  const auto width = static_cast<std::size_t>(options.width);
  return out + "\n" + hanging(" What its values are worth: ", comparison.worth + ".", width) + "\n";
}

std::string compared_with_published_text(const Table& table, const PublishedComparison& comparison,
                                         const TextOptions& options) {
  TextTable text{.head = {{"pJ of a thread", "above", "this", "published", "this / it", "where"}},
                 .left_aligned = 2,
                 .ends_with_words = true};
  for (const PublishedRow& row : comparison.rows) {
    const PublishedValue& theirs = row.values.front();
    text.rows.push_back({row.name, row.above_spin ? "spinning" : "idle",
                         picojoules_text(row.ours_within), plain(kPicojoules * theirs.joules, 3),
                         plain(row.ours_j / theirs.joules, 3),
                         fmt::format("{}, {}", theirs.gpu, theirs.source)});
  }
  std::string out = fmt::format("\n {} beside published values\n\n", name_of(table));
  if (text.rows.empty()) return out + " No row has a number in both.\n\n";
  out += to_text(text, " ") + "\n";
  return out +
         hanging(" What they are worth: ", comparison.worth,
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
  constexpr double kWorthAWord = 0.01;
  if (prediction.energy_j && prediction.mixing_j.upper > kWorthAWord * prediction.energy_j->value) {
    text += hanging(" ", mixing_words(table, prediction), width);
  }
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
  if (table.compute_capability == 0 && lacks_opcodes(prediction)) {
    text += hanging(" ",
                    "The table is of a simulated device, which runs PTX: it holds names of PTX "
                    "(`fma.rn.f32`) and no machine instructions (`FFMA`).",
                    width);
  }
  if (!prediction.of.uncounted.empty()) {
    text += hanging(" in the code and not counted: ",
                    printable(fmt::format("{}", fmt::join(prediction.of.uncounted, ", "))), width);
  }
  return text + "\n";
}

}  // namespace truewatt::report
