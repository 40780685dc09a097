#include "truewatt/report/validation/validation_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "truewatt/report/page/layout.hpp"
#include "truewatt/report/page/text_options.hpp"
#include "truewatt/report/validation/validation_words.hpp"

namespace truewatt::report {
namespace {

TextTable workload_table(const validate::Validation& validation) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"workload"}, {""}};
  const std::vector<WorkloadColumn> columns = workload_columns(validation);
  for (const WorkloadColumn& column : columns) {
    for (std::size_t line = 0; line < 2; ++line) {
      table.head[line].push_back(column.text_head[line]);
    }
  }
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    if (one.failure) continue;
    std::vector<std::string> row = {name_with_mark(one, one.name)};
    for (const WorkloadColumn& column : columns) row.push_back(column.cell(one));
    table.rows.push_back(std::move(row));
  }
  return table;
}

TextTable summary_table(const validate::Validation& validation) {
  TextTable table;
  table.left_aligned = 1;
  table.head = {{"reader", "workloads", "MAPE %", "RMSE %", "largest %"}};
  for (const validate::ErrorSummary& one : validation.summaries) {
    table.rows.push_back(reader_cells(one));
  }
  return table;
}

}  // namespace

std::string validation_text(const validate::Validation& validation, const TextOptions& options) {
  const auto width = static_cast<std::size_t>(std::max(options.width, 40));
  std::string text =
      fmt::format("\n Energies of known work on {}\n\n", printable(validation.device.name));
  const TextTable workloads = workload_table(validation);
  if (!workloads.rows.empty()) text += to_text(workloads, "   ");
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    if (!one.failure) continue;
    text += hanging(fmt::format("   {}: ", one.name), printable(*one.failure), width);
  }
  text += "\n" + hanging(" ", reference_sentence(validation), width);
  text += hanging(" ", marks_sentence(validation), width);
  text += "\n";
  if (!validation.summaries.empty()) text += to_text(summary_table(validation), "   ") + "\n";
  for (const std::string& note : validation.notes) {
    text += hanging(" note: ", note, width);
  }
  return text;
}

}  // namespace truewatt::report
