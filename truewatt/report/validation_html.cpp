#include "truewatt/report/validation_html.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "truewatt/report/html_page.hpp"
#include "truewatt/report/html_text.hpp"
#include "truewatt/report/published_errors.hpp"
#include "truewatt/report/validation_words.hpp"

namespace truewatt::report {
namespace {

/// A row of an interval figure: an error in percent.
Json error_row(const study::ValidatedWorkload& workload, double error,
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
Json told_row(const study::ValidatedWorkload& workload, const study::ToldEnergy& told) {
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

HtmlTable workloads_table(const study::Validation& validation) {
  HtmlTable table{"Errors, %",
                  {"Workload", "Iteration (ms)", "Power (W)", "Counter / ring", "Run to run",
                   "Naive", "One run", "Yang et al.", "truewatt, good practice", "Took (s)"},
                  {}};
  for (const study::ValidatedWorkload& one : validation.workloads) {
    if (one.failure) {
      table.rows.push_back({one.title, "", "", "", "", "", *one.failure, "", "", ""});
      continue;
    }
    std::vector<std::string> row = workload_cells(one);
    row.insert(row.begin(), name_with_mark(one, one.title));
    table.rows.push_back(std::move(row));
  }
  return table;
}

HtmlTable readers_table(const study::Validation& validation) {
  HtmlTable table{
      "Every reader over all workloads, %", {"Reader", "Workloads", "MAPE", "RMSE", "Largest"}, {}};
  for (const study::ErrorSummary& one : validation.summaries) {
    table.rows.push_back(reader_cells(one));
  }
  return table;
}

}  // namespace

std::vector<Figure> validation_figures(const study::Validation& validation) {
  Json naive = Json::array();
  Json one_run = Json::array();
  Json paper = Json::array();
  Json practice = Json::array();
  for (const study::ValidatedWorkload& one : validation.workloads) {
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
  const auto add = [&figures](const char* title, const char* caption, Json rows) {
    if (!rows.empty()) figures.push_back(errors_figure(title, caption, std::move(rows)));
  };
  add("Naive",
      "The reading held over one run (%). Diamonds: Fig. 18 of Yang et al., an RTX 3090's instant "
      "and averaged reading and an A100's.",
      std::move(naive));
  add("One run",
      "truewatt from the same one run (%), with 95 % intervals but for the gain. "
      "Hollow: not resolved.",
      std::move(one_run));
  add("Good practice of Yang et al.",
      "Four trials of 32 executions or 5 s, whichever is longer (%). Diamonds: published of the "
      "same "
      "three, the boards' gains included.",
      std::move(paper));
  add("truewatt, same trials",
      "Mean of the same four trials (%), with 95 % intervals but for the gain. Hollow: not "
      "resolved.",
      std::move(practice));
  return figures;
}

std::string validation_html(const study::Validation& validation,
                            const std::vector<std::pair<std::string, std::string>>& metadata) {
  PageFrame frame{.title = "truewatt validate workloads: " + validation.device.name,
                  .text = "Energies of known work by one run, by others and by good practice.",
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  const std::vector<Figure> figures = validation_figures(validation);
  frame.section_titles.emplace_back("Workloads");
  frame.sections =
      figure_section(0, "Workloads", reference_sentence(validation) + " " + kValidationMarks,
                     figures_html(figures, 0) + to_html(workloads_table(validation)) +
                         to_html(readers_table(validation)) + figures_json(figures, 0));
  for (const std::string& note : validation.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
