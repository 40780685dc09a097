#include "truewatt/report/replication/convergence_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/replication/convergence_words.hpp"
#include "truewatt/report/replication/published_convergence.hpp"

namespace truewatt::report {
namespace {

/// What a figure shows: all curves of a sensor that looks part of the time would hide each other,
/// and those as read are not on the scale of the corrected ones.
struct Panel {
  bool as_read = true;
  bool corrected = true;
  std::string_view title;

  bool shows(replication::Telling telling) const {
    return telling == replication::Telling::as_read ? as_read : corrected;
  }
};
constexpr std::array<Panel, 1> kTogether = {{{true, true, ""}}};
constexpr std::array<Panel, 2> kApart = {
    {{true, false, ", as read"}, {false, true, ", corrected"}}};

std::string_view role_of_curve(const replication::ConvergenceCurve& curve, bool part_time) {
  if (curve.telling == replication::Telling::truewatt) return "estimate";
  if (!part_time && curve.telling == replication::Telling::corrected) return "power-instant";
  return curve.delays == 0 ? "power-average" : curve.delays == 4 ? "power-usage" : "power-instant";
}

enum class Drawn { mean, spread };

Json series_of(const replication::ConvergenceCurve& curve, Drawn drawn, std::string_view role,
               std::string_view mark, const std::string& name) {
  Json series = xy_series(name, role, mark);
  std::vector<double> x;
  std::vector<double> y;
  for (const replication::ConvergencePoint& point : curve.points) {
    x.push_back(point.executions);
    y.push_back(drawn == Drawn::mean ? point.mean : point.spread);
  }
  series["x"] = numbers(x);
  series["y"] = numbers(y, 100);
  return series;
}

Figure load_figure(const replication::ConvergenceLoad& load, const Panel& panel, bool part_time,
                   Drawn drawn) {
  Json series = Json::array();
  const auto add = [&](const replication::ConvergenceCurve& curve, std::string_view mark,
                       const std::string& name) {
    if (!panel.shows(curve.telling) || curve.points.empty()) return false;
    series.push_back(series_of(curve, drawn, role_of_curve(curve, part_time), mark, name));
    return true;
  };
  for (const replication::ConvergenceCurve& curve : load.curves)
    add(curve, "line", curve_name(curve));
  bool published = false;
  if (part_time) {
    for (const replication::ConvergenceCurve& curve : published_convergence(load.execution)) {
      published |= add(curve, "dashes", curve_name(curve) + ", published of an A100");
    }
  }
  const std::string what = drawn == Drawn::mean ? "Mean error" : "Spread";
  Figure figure{
      .title = fmt::format("{}, {:.0f} ms{}", what, 1e3 * load.execution.count(), panel.title)};
  figure.caption = drawn == Drawn::mean ? "Mean of the trials' errors over the executions."
                                        : "Standard deviation of the trials' errors.";
  if (published) figure.caption += " Dashed: Fig. 17 of Yang et al.";
  if (drawn == Drawn::spread && panel.corrected) figure.caption += " " + needs_sentence(load);
  figure.description = figure.title + " of the energy over the number of executions";
  figure.data = {{"x_label", "executions"},
                 {"y_label", drawn == Drawn::mean ? "mean error in %" : "spread in %"},
                 {"log_x", true},
                 {"zero", drawn == Drawn::spread},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

HtmlTable curves_table(const replication::ConvergenceLoad& load) {
  HtmlTable table{fmt::format("{:.0f} ms: error in %, mean ± standard deviation of the trials",
                              1e3 * load.execution.count()),
                  {"Told", "Executions", "Error", "It says (95 %)"},
                  {}};
  for (const replication::ConvergenceCurve& curve : load.curves) {
    for (const replication::ConvergencePoint& point : curve.points) {
      table.rows.push_back(
          {curve_name(curve), std::to_string(point.executions),
           fmt::format("{:+.2f} ± {:.2f}", 100 * point.mean, 100 * point.spread),
           point.half_width ? fmt::format("± {:.2f}", 100 * *point.half_width) : ""});
    }
  }
  return table;
}

}  // namespace

std::vector<Figure> convergence_figures(const replication::ConvergenceCase& one) {
  const bool part_time = is_part_time(one);
  const std::vector<Panel> panels = part_time
                                        ? std::vector<Panel>(kApart.begin(), kApart.end())
                                        : std::vector<Panel>(kTogether.begin(), kTogether.end());
  std::vector<Figure> figures;
  for (const replication::ConvergenceLoad& load : one.loads) {
    for (const Panel& panel : panels) {
      figures.push_back(load_figure(load, panel, part_time, Drawn::mean));
      figures.push_back(load_figure(load, panel, part_time, Drawn::spread));
    }
  }
  return figures;
}

std::string convergence_html(const replication::Convergence& convergence,
                             const std::vector<std::pair<std::string, std::string>>& metadata) {
  PageFrame frame{
      .title = "truewatt validate convergence: " + convergence.device,
      .text = fmt::format("How error and spread of one execution's energy fall with the number of "
                          "executions, {} trials a point.",
                          convergence.trials),
      .without_scripts = "Every number is in the tables below.",
      .metadata = metadata};
  for (const std::string& note : convergence.notes) frame.metadata.emplace_back("Note", note);
  for (std::size_t i = 0; i < convergence.cases.size(); ++i) {
    const replication::ConvergenceCase& one = convergence.cases[i];
    const std::vector<Figure> figures = convergence_figures(one);
    std::string tables;
    for (const replication::ConvergenceLoad& load : one.loads)
      tables += to_html(curves_table(load));
    frame.section_titles.push_back(to_string(one.source));
    frame.sections += figure_section(
        i, to_string(one.source), case_sentence(one) + ".",
        figures_html(figures, i) +
            element("details", "", element("summary", "", "All numbers") + "\n" + tables) + "\n" +
            figures_json(figures, i));
  }
  return page_html(frame);
}

}  // namespace truewatt::report
