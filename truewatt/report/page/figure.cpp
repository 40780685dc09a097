#include "truewatt/report/page/figure.hpp"

#include <fmt/format.h>

#include <cmath>

#include "truewatt/report/page/html_text.hpp"

namespace truewatt::report {
namespace {

std::string_view class_of(FigureKind kind) {
  switch (kind) {
    case FigureKind::trace:
      return "trace";
    case FigureKind::bars:
      return "bars";
    case FigureKind::intervals:
      return "intervals";
    case FigureKind::xy:
      break;
  }
  return "xy";
}

}  // namespace

double micro(double seconds) { return std::round(seconds * 1e6) / 1e6; }
double tenth_ms(double seconds) { return std::round(seconds * 1e4) / 1e4; }
double centi(double value) { return std::round(value * 100) / 100; }

Json xy_series(std::string_view name, std::string_view role, std::string_view mark) {
  return {{"name", name}, {"role", role}, {"mark", mark}};
}

Json xy_curve(std::string_view name, std::string_view role, std::string_view mark,
              const std::vector<double>& x, const std::vector<double>& y) {
  Json series = xy_series(name, role, mark);
  series["x"] = numbers(x);
  series["y"] = numbers(y);
  return series;
}

Json numbers(const std::vector<double>& values, double factor) {
  Json array = Json::array();
  for (const double value : values) {
    const double shown = value * factor;
    array.push_back(std::isfinite(shown) ? Json::parse(fmt::format("{:.5g}", shown)) : Json());
  }
  return array;
}

std::string figure_html(const Figure& figure, std::size_t section, std::size_t index) {
  const std::string attributes = fmt::format(
      "class=\"{0}\" data-section=\"{1}\" data-figure=\"{2}\" data-kind=\"{0}\" "
      "data-description=\"{3}\"",
      class_of(figure.kind), section, index, escape_html(figure.description));
  return element("div", "class=\"needs-js\"",
                 "\n" + element("h3", "", escape_html(figure.title)) + "\n" +
                     element("figure", attributes,
                             "<div class=\"chart-place\"></div>\n" +
                                 element("figcaption", "", prose_html(figure.caption))) +
                     "\n") +
         "\n";
}

std::string figures_html(const std::vector<Figure>& figures, std::size_t section) {
  std::string html;
  std::string columns;
  const auto close = [&] {
    if (!columns.empty()) html += element("div", "class=\"columns\"", "\n" + columns) + "\n";
    columns.clear();
  };
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::string one = figure_html(figures[i], section, i);
    if (figures[i].wide) close();
    (figures[i].wide ? html : columns) += one;
  }
  close();
  return html;
}

std::string figures_json(const std::vector<Figure>& figures, std::size_t section) {
  Json all = Json::array();
  for (const Figure& figure : figures) all.push_back(figure.data);
  const Json document = {{"figures", std::move(all)}};
  return element("script", fmt::format("type=\"application/json\" id=\"data-{}\"", section),
                 script_safe(document.dump(-1, ' ', true, Json::error_handler_t::replace))) +
         "\n";
}

}  // namespace truewatt::report
