#include "truewatt/report/validation/validation_html.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/validation/published_errors.hpp"
#include "truewatt/report/validation/validation_words.hpp"

namespace truewatt::report {
namespace {

/// A row of an interval figure: an error in percent.
Json error_row(const validate::ValidatedWorkload& workload, double error,
               const std::vector<double>& published) {
  Json row = {{"name", workload.title}, {"role", "estimate"}, {"value", 100 * error}};
  std::string text = fmt::format("{:+.2f} %", 100 * error);
  row["lower"] = row["upper"] = 100 * error;
  if (!published.empty()) {
    std::vector<std::string> words;
    for (const double one : published) {
      row["published"].push_back(100 * one);
      words.push_back(fmt::format("{:.{}f}", 100 * one, std::abs(one) < 0.1 ? 1 : 0));
    }
    text += fmt::format("; paper {} %", fmt::join(words, ", "));
  }
  row["text"] = text;
  return row;
}

/// The same with its interval.
Json told_row(const validate::ValidatedWorkload& workload, const validate::ToldEnergy& told) {
  Json row = error_row(workload, *told.error, {});
  row["doubt"] = !told.resolved;
  if (!told.half_width) return row;
  row["lower"] = 100 * (*told.error - *told.half_width);
  row["upper"] = 100 * (*told.error + *told.half_width);
  row["text"] = fmt::format("{:+.2f} % ± {:.2g} %", 100 * *told.error, 100 * *told.half_width);
  return row;
}

Figure errors_figure(std::string title, std::string caption, Json rows) {
  Figure figure{
      .kind = FigureKind::intervals, .title = std::move(title), .caption = std::move(caption)};
  figure.description = figure.title + " of every workload";
  figure.data = {{"axis", "error in %"}, {"signed", true}, {"rows", std::move(rows)}};
  return figure;
}

HtmlTable workloads_table(const validate::Validation& validation) {
  HtmlTable table{"Errors, %", {"Workload"}, {}};
  const std::vector<WorkloadColumn> columns = workload_columns(validation);
  for (const WorkloadColumn& column : columns) table.header.push_back(column.html_head);
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    std::vector<std::string> row = {name_with_mark(one, one.title)};
    for (const WorkloadColumn& column : columns) {
      row.push_back(one.failure ? std::string() : column.cell(one));
    }
    if (one.failure) row.back() = *one.failure;
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable readers_table(const validate::Validation& validation) {
  HtmlTable table{
      "Every reader over all workloads, %", {"Reader", "Workloads", "MAPE", "RMSE", "Largest"}, {}};
  for (const validate::ErrorSummary& one : validation.summaries) {
    table.rows.push_back(reader_cells(one));
  }
  return table;
}

/// What the marks of Fig. 18 are, and that they are of shorter runs.
std::string naive_caption(const validate::Validation& validation) {
  Seconds shortest{1e9};
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    if (!one.failure) shortest = std::min(shortest, one.run);
  }
  return fmt::format(
      "The last reading held over one run of {:.2g} s or more (%). Marks: Fig. 18 of Yang et al., "
      "an "
      "RTX "
      "3090's instant reading (diamond), its average (square) and an A100's (triangle), over "
      "single "
      "executions of 0.7 to 682 ms, which such a reading misses more of.",
      shortest.count());
}

}  // namespace

std::vector<Figure> validation_figures(const validate::Validation& validation) {
  Json naive = Json::array();
  Json one_run = Json::array();
  Json paper = Json::array();
  Json practice = Json::array();
  for (const validate::ValidatedWorkload& one : validation.workloads) {
    const auto published = published_errors(one.name).value_or(PublishedErrors{});
    if (const auto error = naive_error(one)) {
      naive.push_back(error_row(one, *error, published.naive));
    }
    if (one.one_run.error) {
      one_run.push_back(told_row(one, one.one_run));
    }
    if (const auto error = error_of(one, "yang")) {
      paper.push_back(error_row(one, *error, published.good_practice));
    }
    if (one.practice.error) {
      practice.push_back(told_row(one, one.practice));
    }
  }
  std::vector<Figure> figures;
  const auto add = [&figures](const char* title, std::string caption, Json rows) {
    if (!rows.empty()) figures.push_back(errors_figure(title, std::move(caption), std::move(rows)));
  };
  add("Naive", naive_caption(validation), std::move(naive));
  add("One run",
      "truewatt from the same one run (%), with 95 % intervals on the sensor's scale. "
      "Hollow: not resolved.",
      std::move(one_run));
  add("Good practice of Yang et al.",
      "Four trials of 32 executions or 5 s, whichever is longer (%). Marks: published of the same "
      "three, the boards' gains included.",
      std::move(paper));
  add("truewatt, same trials",
      "Mean of the same four trials (%), with 95 % intervals on the sensor's scale. Hollow: not "
      "resolved.",
      std::move(practice));
  return figures;
}

std::string validation_html(const validate::Validation& validation,
                            const std::vector<std::pair<std::string, std::string>>& metadata) {
  PageFrame frame{.title = "truewatt validate workloads: " + validation.device.name,
                  .text = "Energies of known work by one run, by others and by good practice.",
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  const std::string conclusion = conclusion_sentence(validation);
  if (!conclusion.empty()) frame.text = conclusion;
  const std::vector<Figure> figures = validation_figures(validation);
  frame.section_titles.emplace_back("Workloads");
  frame.sections = figure_section(
      0, "Workloads", reference_sentence(validation) + " " + marks_sentence(validation),
      figures_html(figures, 0) + to_html(workloads_table(validation)) +
          to_html(readers_table(validation)) + figures_json(figures, 0));
  for (const std::string& note : validation.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
