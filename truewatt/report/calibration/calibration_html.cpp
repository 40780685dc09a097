#include "truewatt/report/calibration/calibration_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/format.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/html_page.hpp"
#include "truewatt/report/page/html_text.hpp"
#include "truewatt/report/page/layout.hpp"

namespace truewatt::report {
namespace {

double off_the_line(const Calibration& calibration, const CalibrationLevel& level) {
  return level.sensor_w - calibration.offset_w.value - calibration.gain.value * level.meter_w;
}

std::string offset_text(const Calibration& calibration) {
  // An offset is not the larger for being a share of nearly nothing.
  const std::string text = format_interval(calibration.offset_w, "W");
  return text.substr(0, text.find(" ("));
}

std::vector<double> meters(const Calibration& calibration) {
  std::vector<double> powers;
  for (const CalibrationLevel& level : calibration.levels) powers.push_back(level.meter_w);
  return powers;
}

/// From below the lowest level to above the highest, so that no dot lies on the edge.
std::vector<double> span_of(const Calibration& calibration) {
  const std::vector<double> powers = meters(calibration);
  const auto [lowest, highest] = std::minmax_element(powers.begin(), powers.end());
  return {0.9 * *lowest, 1.04 * *highest};
}

/// The line of `drawn` over the levels of `calibration`.
Json line_series(std::string_view name, std::string_view role, std::string_view mark,
                 const Calibration& calibration, const Calibration& drawn) {
  const std::vector<double> span = span_of(calibration);
  Json line = xy_series(name, role, mark);
  line["x"] = numbers(span);
  line["y"] = numbers({drawn.offset_w.value + drawn.gain.value * span[0],
                       drawn.offset_w.value + drawn.gain.value * span[1]});
  return line;
}

Figure line_figure(const Calibration& calibration) {
  Json points = xy_series("levels", role_of(calibration.source.kind), "points");
  std::vector<double> sensor;
  for (const CalibrationLevel& level : calibration.levels) sensor.push_back(level.sensor_w);
  points["x"] = numbers(meters(calibration));
  points["y"] = numbers(sensor);
  Figure figure{.title = "Sensor over meter"};
  figure.caption = fmt::format(
      "Mean power of every level, as the sensor showed it over what the meter did (W): the fitted "
      "line has gain {} and offset {}; dashed: a sensor without error. As in Fig. 8 of Yang et "
      "al.",
      unitless_text(calibration.gain), offset_text(calibration));
  figure.description = "Sensor power over meter power with the fitted line";
  figure.data = {
      {"x_label", "meter in W"},
      {"y_label", "sensor in W"},
      {"zero", true},
      {"guides", Json::array()},
      {"series",
       Json::array(
           {points, line_series("fitted line", "model", "line", calibration, calibration),
            line_series("gain 1, offset 0", "curve", "dashes", calibration, Calibration{})})}};
  return figure;
}

Figure residual_figure(const Calibration& calibration) {
  Json points = xy_series("levels", role_of(calibration.source.kind), "points");
  std::vector<double> residuals;
  for (const CalibrationLevel& level : calibration.levels) {
    residuals.push_back(off_the_line(calibration, level));
  }
  points["x"] = numbers(meters(calibration));
  points["y"] = numbers(residuals);
  Json zero = xy_series("fitted line", "model", "line");
  zero["x"] = numbers(span_of(calibration));
  zero["y"] = numbers({0.0, 0.0});
  Figure figure{.title = "Residual"};
  figure.caption =
      "How far every level lies off the fitted line (W over the meter's W): a bend would show a "
      "sensor that is not linear. As the residuals of Fig. 8 of Yang et al.";
  figure.description = "Distances of the levels from the fitted line over meter power";
  figure.data = {{"x_label", "meter in W"},
                 {"y_label", "off the line in W"},
                 {"guides", Json::array()},
                 {"series", Json::array({points, zero})}};
  return figure;
}

HtmlTable levels_table(const Calibration& calibration) {
  HtmlTable table{"Levels", {"Level", "Meter", "Sensor", "Residual"}, {}};
  for (const CalibrationLevel& level : calibration.levels) {
    table.rows.push_back({fmt::format("{}", table.rows.size() + 1),
                          fmt::format("{:.2f} W", level.meter_w),
                          fmt::format("{:.2f} W", level.sensor_w),
                          fmt::format("{:+.2f} W", off_the_line(calibration, level))});
  }
  return table;
}

HtmlTable result_table(const Calibration& calibration) {
  return {"Sensor = gain × power + offset, 95 % intervals",
          {},
          {{"Gain", unitless_text(calibration.gain)},
           {"Offset", offset_text(calibration)},
           {"R²", calibration.r_squared ? fmt::format("{:.6f}", *calibration.r_squared)
                                        : std::string("unknown (two points)")}}};
}

HtmlTable terms_table(const Calibration& calibration) {
  HtmlTable table{
      "What the uncertainty is made of", {"Standard uncertainty of", "Type", "Gain", "Offset"}, {}};
  for (const CalibrationTerm& term : calibration.terms) {
    table.rows.push_back({term.name, std::string(1, term.type),
                          fmt::format("{:.3f} %", 100.0 * term.gain / calibration.gain.value),
                          fmt::format("{:.3f} W", term.offset_w)});
  }
  return table;
}

std::string source_section(const Calibration& calibration, std::size_t index) {
  const std::vector<Figure> figures = calibration_figures(calibration);
  std::string lede = fmt::format("Against {}, {} levels and repetitions.", calibration.meter,
                                 calibration.levels.size());
  for (const Coded<CalibrationReason>& reason : calibration.reasons) {
    lede += " " + explain(reason);
  }
  return figure_section(index, to_string(calibration.source), lede,
                        figures_html(figures, index) + to_html(result_table(calibration)) +
                            to_html(terms_table(calibration)) +
                            element("details", "",
                                    element("summary", "", "All levels") + "\n" +
                                        to_html(levels_table(calibration))) +
                            "\n" + figures_json(figures, index));
}

}  // namespace

std::vector<Figure> calibration_figures(const Calibration& calibration) {
  if (calibration.levels.empty()) return {};
  return {line_figure(calibration), residual_figure(calibration)};
}

std::string calibration_html(const calibrate::CalibrationRun& run,
                             const std::vector<std::pair<std::string, std::string>>& metadata) {
  const std::string name = run.device.name.empty() ? "unnamed GPU" : run.device.name;
  PageFrame frame{.title = "truewatt calibrate: " + name,
                  .text = "A GPU's own power readings compared with an external meter.",
                  .without_scripts = "Every number is in the tables below.",
                  .metadata = metadata};
  for (std::size_t i = 0; i < run.calibrations.size(); ++i) {
    frame.section_titles.push_back(to_string(run.calibrations[i].source));
    frame.sections += source_section(run.calibrations[i], i);
  }
  for (const calibrate::RefusedSource& refused : run.refused) {
    frame.metadata.emplace_back("Not calibrated: " + to_string(refused.source), refused.message);
  }
  for (const std::string& note : run.notes) frame.metadata.emplace_back("Note", note);
  return page_html(frame);
}

}  // namespace truewatt::report
