#include "truewatt/report/instructions/instructions_html.hpp"

#include <fmt/format.h>

#include "truewatt/report/instructions/further_tables.hpp"
#include "truewatt/report/instructions/instruction_words.hpp"
#include "truewatt/report/page/figure.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

using instructions::Row;
using instructions::Table;

std::string title_of(const Row& row) {
  std::string title =
      fmt::format("{} at {}", row.key.instruction, kernels::to_string(row.key.optimization));
  if (row.key.operands != kernels::Operands::random) {
    title += fmt::format(", {}", to_string(row.key.operands));
  }
  return title;
}

Figure energy_figure(const Table& table, const std::string& group) {
  Figure figure{.kind = FigureKind::intervals,
                .title = "Energy of one thread's instruction",
                .caption =
                    "Above idle with a context, with 95 % intervals on this sensor's scale. "
                    "Hollow dots are in doubt.",
                .wide = true};
  figure.description = "Energy of every instruction of the group " + group;
  Json rows = Json::array();
  for (const Row& row : table.rows) {
    if (row.group != group || !row.valid || !row.dynamic_j) continue;
    rows.push_back({{"name", title_of(row)},
                    {"value", kPicojoules * row.dynamic_j->value},
                    {"lower", kPicojoules * row.dynamic_j->lower},
                    {"upper", kPicojoules * row.dynamic_j->upper},
                    {"text", picojoules_text(row.dynamic_j) + " pJ"},
                    {"doubt", !row.reasons.empty()}});
  }
  figure.data = {{"axis", "pJ"}, {"rows", std::move(rows)}};
  return figure;
}

std::string remarks_of(const Row& row) {
  std::string text = reasons_text(row);
  if (!is_less_partner(row)) return text;
  if (!text.empty()) text += "; ";
  return text + fmt::format("less {}, with what the two draw together", row.partner);
}

HtmlTable energy_table(const Table& table, const std::string& group) {
  HtmlTable html{"Picojoules per thread-level instruction",
                 {"Instruction", "Above idle", "Above spinning", "In all", "Rate", "Power", "Clock",
                  "Machine code", "Remarks"},
                 {}};
  for (const Row& row : table.rows) {
    if (row.group != group) continue;
    html.rows.push_back({title_of(row), picojoules_text(row.dynamic_j),
                         picojoules_text(row.above_spin_j), picojoules_text(row.total_j),
                         row.rate_per_s ? fmt::format("{:.0f} G/s", *row.rate_per_s / 1e9) : "",
                         row.power_w ? fmt::format("{:.0f} W", *row.power_w) : "",
                         row.clock_hz ? fmt::format("{:.0f} MHz", *row.clock_hz / 1e6) : "",
                         machine_text(row), remarks_of(row)});
  }
  return html;
}

std::string group_section(const Table& table, const std::string& group, std::size_t index) {
  std::vector<Figure> figures{energy_figure(table, group)};
  if (figures.front().data["rows"].empty()) figures.clear();
  return figure_section(index, group, "",
                        figures_html(figures, index) +
                            element("details", "",
                                    element("summary", "", "Numbers and machine code") + "\n" +
                                        to_html(energy_table(table, group))) +
                            "\n" + figures_json(figures, index));
}

std::string summary_of(const Table& table) {
  std::string html;
  for (const std::string& line : standing_of(table)) {
    html += element("p", "", prose_html(line)) + "\n";
  }
  return html;
}

std::string further_section(const FurtherTable& table, std::size_t index) {
  std::vector<std::string> header{""};
  header.insert(header.end(), table.head.begin(), table.head.end());
  const std::string note =
      table.note.empty() ? "" : element("p", "", prose_html(table.note)) + "\n";
  return figure_section(index, table.title, "", note + to_html({table.title, header, table.rows}));
}

}  // namespace

std::string instructions_html(const Table& table,
                              const std::vector<std::pair<std::string, std::string>>& metadata) {
  const std::string name = table.device.name.empty() ? "unnamed GPU" : table.device.name;
  PageFrame frame{.title = "truewatt instructions: " + name,
                  .text = "Energy per PTX instruction, checked in the machine code that ran.",
                  .summary = summary_of(table),
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  for (const std::string& group : groups_of(table)) {
    frame.sections += group_section(table, group, frame.section_titles.size());
    frame.section_titles.push_back(group);
  }
  for (const FurtherTable& one : further_tables(table)) {
    frame.sections += further_section(one, frame.section_titles.size());
    frame.section_titles.push_back(one.title);
  }
  for (const std::string& note : table.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
