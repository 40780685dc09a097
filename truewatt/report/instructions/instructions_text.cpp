#include "truewatt/report/instructions/instructions_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "truewatt/report/instructions/further_tables.hpp"
#include "truewatt/report/instructions/instruction_words.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;
using kernels::Optimization;

/// Rows of one instruction and operands: one line.
struct Line {
  const Row* o3 = nullptr;
  const Row* o0 = nullptr;

  const Row& any() const { return o3 != nullptr ? *o3 : *o0; }
};

std::vector<Line> lines_of(const Table& table, const std::string& group) {
  std::vector<Line> lines;
  for (const Row& row : table.rows) {
    if (row.group != group) continue;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& other) {
      return other.any().key.instruction == row.key.instruction &&
             other.any().key.operands == row.key.operands;
    });
    if (line == lines.end()) line = lines.emplace(lines.end());
    (row.key.optimization == Optimization::O0 ? line->o0 : line->o3) = &row;
  }
  return lines;
}

bool has(const Row& row, instructions::Reason reason) {
  return std::find(row.reasons.begin(), row.reasons.end(), reason) != row.reasons.end();
}

std::string number_of(const Row* row, std::optional<Interval> Row::*which) {
  if (row == nullptr) return "";
  // Without a baseline of idle the others stand.
  const bool stands =
      which != &Row::dynamic_j && row->*which && has(*row, instructions::Reason::active_idle);
  if (has(*row, instructions::Reason::not_measured)) return "-";
  if (!row->valid && !stands) return "invalid";
  return picojoules_text(row->*which);
}

/// What a letter behind a row's name says of it.
struct Mark {
  char letter = ' ';
  bool (*is_of)(const Row& row);
  std::string_view words;
};
template <instructions::Reason reason>
bool is_for(const Row& row) {
  return has(row, reason);
}
constexpr char kPartner = 'p';
constexpr Mark kMarks[] = {
    {'c', is_for<instructions::Reason::clocks_limited>, "a limit lowered its clock"},
    {'f', is_for<instructions::Reason::fewer_blocks>,
     "on fewer of the SMs, to stay below the power limit"},
    {'m', is_for<instructions::Reason::pair>,
     "with the instructions that it needs beside it (see its machine code), which have no row"},
    {'n', is_for<instructions::Reason::scatter>, "not linear in the number of instructions"},
    {kPartner, is_less_partner,
     "less the row of a partner that ran in its loop: with what the two draw together"}};

/// "cf".
std::string marks_of(const Line& line) {
  std::string letters;
  for (const Mark& mark : kMarks) {
    if (mark.is_of(line.any())) letters += mark.letter;
  }
  return letters;
}

/// The marks that some line has, in words.
std::string legend_of(const Table& table, std::size_t width) {
  std::string marks;
  for (const std::string& group : groups_of(table)) {
    for (const Line& line : lines_of(table, group)) marks += marks_of(line);
  }
  std::vector<std::string> used;
  for (const Mark& mark : kMarks) {
    if (marks.find(mark.letter) != std::string::npos) {
      const std::string more = mark.letter == kPartner ? drawn_together_words(table) : "";
      used.push_back(fmt::format("{}: {}{}", mark.letter, mark.words, more));
    }
  }
  return used.empty() ? "" : hanging(" ", fmt::format("{}.", fmt::join(used, "; ")), width);
}

std::string group_text(const Table& table, const std::string& group, bool verbose) {
  TextTable text{.head = {{group, "O3", "", "O0", "machine code at O3"}},
                 .left_aligned = 1,
                 .ends_with_words = true};
  if (verbose) {
    text.head = {{group, "O3", "", "above spin", "in all", "per warp", "G/s", "W", "MHz", "O0",
                  "machine code at O3"}};
  }
  for (const Line& line : lines_of(table, group)) {
    std::vector<std::string> cells{"  " + instruction_name(line.any().key),
                                   number_of(line.o3, &Row::dynamic_j)};
    const std::string o0 = number_of(line.o0, &Row::dynamic_j);
    const std::string machine = line.o3 != nullptr ? machine_text(*line.o3) : "";
    cells.push_back(marks_of(line));
    if (verbose) {
      const Row& row = line.any();
      cells.push_back(number_of(line.o3, &Row::above_spin_j));
      cells.push_back(number_of(line.o3, &Row::total_j));
      cells.push_back(row.dynamic_j ? fmt::format("{:.3g} nJ", 32e9 * row.dynamic_j->value) : "-");
      cells.push_back(row.rate_per_s ? fmt::format("{:.0f}", *row.rate_per_s / 1e9) : "-");
      cells.push_back(row.power_w ? fmt::format("{:.0f}", *row.power_w) : "-");
      cells.push_back(row.clock_hz ? fmt::format("{:.0f}", *row.clock_hz / 1e6) : "-");
    }
    cells.push_back(o0);
    cells.push_back(machine);
    text.rows.push_back(std::move(cells));
  }
  return to_text(text, " ") + "\n";
}

std::string counts_text(const Table& table) {
  const auto valid =
      std::count_if(table.rows.begin(), table.rows.end(), [](const Row& row) { return row.valid; });
  const auto precise = std::count_if(table.rows.begin(), table.rows.end(), [](const Row& row) {
    return row.valid && !has(row, instructions::Reason::imprecise);
  });
  return fmt::format(" {} of {} rows have a number, {} of them to 3 % or 0.2 pJ; {}.\n", valid,
                     table.rows.size(), precise, rough_duration(table.took));
}

/// Why a row has no number.
std::string spoiling_text(Row row) {
  std::erase_if(row.reasons, [](instructions::Reason reason) { return !spoils(reason); });
  return reasons_text(row);
}

/// Rows without a number, the same sentence once; of many the first few are named.
std::string invalid_text(const Table& table, std::size_t width) {
  constexpr std::size_t kNamed = 4;
  std::vector<std::pair<std::string, std::vector<std::string>>> said;  // words, rows
  for (const Row& row : table.rows) {
    const bool had_no_turn = table.interrupted && has(row, instructions::Reason::not_measured);
    if (row.valid || had_no_turn) continue;
    const std::string words = spoiling_text(row);
    auto known =
        std::find_if(said.begin(), said.end(), [&](const auto& one) { return one.first == words; });
    if (known == said.end()) known = said.insert(known, {words, {}});
    known->second.push_back(
        fmt::format("{} at {}", row.key.instruction, kernels::to_string(row.key.optimization)));
  }
  std::string text;
  for (auto& [words, rows] : said) {
    const std::size_t more = rows.size() > kNamed ? rows.size() - kNamed : 0;
    rows.resize(rows.size() - more);
    std::string who = fmt::format("{}", fmt::join(rows, ", "));
    if (more > 0) who += fmt::format(" and {} more", more);
    text += hanging(" ", fmt::format("{}: {}", who, words), width);
  }
  return text;
}

std::string readers_text(const Table& table) {
  TextTable text{.head = {{"by other readers, pJ", "this", "", "", ""}}, .left_aligned = 1};
  for (const Row& row : table.rows) {
    if (row.readers.empty() || !row.valid) continue;
    std::vector<std::string> cells{
        fmt::format("{} {}", row.key.instruction, kernels::to_string(row.key.optimization)),
        picojoules_text(row.dynamic_j)};
    for (const auto& one : row.readers) {
      cells.push_back(fmt::format("{} {:.3g}", to_string(one.reader), kPicojoules * one.dynamic_j));
    }
    text.rows.push_back(std::move(cells));
  }
  return text.rows.empty() ? "" : to_text(text, " ") + "\n";
}

std::string further_text(const FurtherTable& table, std::size_t width) {
  TextTable text{.head = {{table.title}}, .left_aligned = 1};
  text.head.front().insert(text.head.front().end(), table.head.begin(), table.head.end());
  text.rows = table.rows;
  const std::string note = table.note.empty() ? "" : "\n" + hanging(" ", table.note, width);
  return to_text(text, " ") + note + "\n";
}

}  // namespace

std::string instructions_text(const Table& table, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(options.width);
  const std::string name = table.device.name.empty() ? "unnamed GPU" : table.device.name;
  std::string text = fmt::format("\n Energy per PTX instruction: {}\n\n", printable(name));
  for (const std::string& line : standing_of(table)) text += hanging(" ", line, width);
  text += "\n";
  for (const std::string& group : groups_of(table)) {
    text += group_text(table, group, options.verbose);
  }
  text += readers_text(table);
  for (const FurtherTable& one : further_tables(table)) text += further_text(one, width);
  text += counts_text(table);
  text += legend_of(table, width);
  text += invalid_text(table, width);
  if (table.interrupted) text += " Interrupted: rows that had no turn are missing.\n";
  for (const std::string& note : table.notes) text += hanging(" note: ", note, width);
  return text + "\n";
}

std::string instruction_list_text(const std::vector<std::string>& only) {
  std::string text;
  std::string_view group;
  for (const kernels::Instruction& row : kernels::instructions()) {
    const bool is_wanted =
        only.empty() || std::find(only.begin(), only.end(), row.key) != only.end();
    if (!is_wanted) continue;
    if (row.group != group) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", row.group);
    group = row.group;
    std::string line = fmt::format("  {:<40} {}", row.key, to_string(row.lowest));
    line += row.lowest.arch_specific ? " only" : " and newer";
    if (!row.paper.empty()) line += fmt::format(", Arafa 2020: {}", row.paper);
    if (!row.partner.empty()) line += fmt::format(", less {}", row.partner);
    text += line + "\n";
  }
  return text;
}

}  // namespace truewatt::report
