#include "truewatt/report/convergence_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "truewatt/report/convergence_words.hpp"
#include "truewatt/report/html_page.hpp"
#include "truewatt/report/html_text.hpp"
#include "truewatt/report/published_convergence.hpp"

namespace truewatt::report {
namespace {

/// Curves that a figure shows: all would hide each other.
bool is_drawn(const study::ConvergenceCurve& curve, bool part_time) {
  if (curve.telling == study::Telling::truewatt) return true;
  if (curve.telling == study::Telling::as_read) return curve.delays == 0;
  return !part_time || curve.delays > 0;
}

std::string_view role_of_curve(const study::ConvergenceCurve& curve) {
  if (curve.telling == study::Telling::truewatt) return "estimate";
  if (curve.telling == study::Telling::as_read) return "power-average";
  constexpr std::array<std::string_view, 2> kRoles = {"power-usage", "power-instant"};
  return kRoles[curve.delays == 4 ? 0 : 1];
}

enum class Drawn { mean, spread };

Json series_of(const study::ConvergenceCurve& curve, Drawn drawn, std::string_view mark,
               const std::string& name) {
  Json series = xy_series(name, role_of_curve(curve), mark);
  std::vector<double> x;
  std::vector<double> y;
  for (const study::ConvergencePoint& point : curve.points) {
    x.push_back(point.executions);
    y.push_back(drawn == Drawn::mean ? point.mean : point.spread);
  }
  series["x"] = numbers(x);
  series["y"] = numbers(y, 100);
  return series;
}

Figure load_figure(const study::ConvergenceCase& one, const study::ConvergenceLoad& load,
                   Drawn drawn) {
  const bool part_time = is_part_time(one);
  Json series = Json::array();
  for (const study::ConvergenceCurve& curve : load.curves) {
    if (!is_drawn(curve, part_time) || curve.points.empty()) continue;
    series.push_back(series_of(curve, drawn, "line", curve_name(curve)));
  }
  bool published = false;
  if (part_time) {
    for (const study::ConvergenceCurve& curve : published_convergence(load.execution)) {
      if (!is_drawn(curve, part_time)) continue;
      published = true;
      series.push_back(
          series_of(curve, drawn, "dashes", curve_name(curve) + ", published of an A100"));
    }
  }
  const std::string what = drawn == Drawn::mean ? "Mean error" : "Spread";
  Figure figure{.title = fmt::format("{}, {:.0f} ms", what, 1e3 * load.execution.count())};
  figure.caption = drawn == Drawn::mean
                       ? "Mean of the trials' errors (%) over the number of executions."
                       : "Standard deviation of the trials' errors (%) over the number of "
                         "executions. " +
                             needs_sentence(load);
  if (published) figure.caption += " Dashed: Fig. 17 of Yang et al.";
  figure.description = figure.title + " of the energy over the number of executions";
  figure.data = {{"x_label", "executions"},
                 {"y_label", drawn == Drawn::mean ? "mean error in %" : "spread in %"},
                 {"log_x", true},
                 {"zero", drawn == Drawn::spread},
                 {"guides", Json::array()},
                 {"series", std::move(series)}};
  return figure;
}

HtmlTable curves_table(const study::ConvergenceLoad& load) {
  HtmlTable table{fmt::format("{:.0f} ms, error in %, mean ± spread", 1e3 * load.execution.count()),
                  {"Told", "Executions", "Error", "It says"},
                  {}};
  for (const study::ConvergenceCurve& curve : load.curves) {
    for (const study::ConvergencePoint& point : curve.points) {
      table.rows.push_back(
          {curve_name(curve), std::to_string(point.executions),
           fmt::format("{:+.2f} ± {:.2f}", 100 * point.mean, 100 * point.spread),
           point.half_width ? fmt::format("± {:.2f}", 100 * *point.half_width) : ""});
    }
  }
  return table;
}

}  // namespace

std::vector<Figure> convergence_figures(const study::ConvergenceCase& one) {
  std::vector<Figure> figures;
  for (const study::ConvergenceLoad& load : one.loads) {
    figures.push_back(load_figure(one, load, Drawn::mean));
    figures.push_back(load_figure(one, load, Drawn::spread));
  }
  return figures;
}

std::string convergence_html(const study::Convergence& convergence,
                             const std::vector<std::pair<std::string, std::string>>& metadata) {
  PageFrame frame{
      .title = "truewatt validate convergence: " + convergence.device,
      .text = fmt::format("How error and spread of one execution's energy fall with the number of "
                          "executions, {} trials a point.",
                          convergence.trials),
      .without_scripts = "Every number is in the tables below.",
      .metadata = metadata};
  for (std::size_t i = 0; i < convergence.cases.size(); ++i) {
    const study::ConvergenceCase& one = convergence.cases[i];
    const std::vector<Figure> figures = convergence_figures(one);
    std::string tables;
    for (const study::ConvergenceLoad& load : one.loads) tables += to_html(curves_table(load));
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
