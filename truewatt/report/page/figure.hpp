#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {

inline constexpr double kMs = 1e3;  ///< milliseconds per second

/// Numbers as a page's data hold them: with no more places than a screen can show.
double micro(double seconds);
double tenth_ms(double seconds);
double centi(double value);

/// How a figure's script draws its data.
enum class FigureKind {
  xy,        ///< points, lines and steps over a number, with marks on the axis (xy_chart.js)
  trace,     ///< over time, to zoom and move in (trace_chart.js)
  bars,      ///< one bar per name (bar_chart.js)
  intervals  ///< one value with its interval per name (interval_chart.js)
};

/// One figure of a page: what it shows, in words and as its script takes it.
struct Figure {
  FigureKind kind = FigureKind::xy;
  std::string title;
  std::string caption;      ///< a sentence or two: what to see, units, the published figure
  std::string description;  ///< for those who cannot see it
  Json data;
  bool wide = false;  ///< takes the whole width of the page
};

/// A curve of an xy figure without its points: `mark` is "points", "line", "dashes" or "steps".
Json xy_series(std::string_view name, std::string_view role, std::string_view mark);

/// The same with its points.
Json xy_curve(std::string_view name, std::string_view role, std::string_view mark,
              const std::vector<double>& x, const std::vector<double>& y);

/// `values` times `factor`, with five significant digits, which are more than a screen shows.
Json numbers(const std::vector<double>& values, double factor = 1.0);

/// A place for the figure, with its title and caption; its data stand in the section's script
/// element under `index` (figures_json).
std::string figure_html(const Figure& figure, std::size_t section, std::size_t index);

/// The figures in their order, narrow ones in columns beside each other.
std::string figures_html(const std::vector<Figure>& figures, std::size_t section);

/// The section's script element with the data of its figures.
std::string figures_json(const std::vector<Figure>& figures, std::size_t section);

}  // namespace truewatt::report
