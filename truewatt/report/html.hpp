#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/energy/results.hpp"
#include "truewatt/study/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::report {

/// A point of a power curve: seconds on the recording's axis, watts.
struct CurvePoint {
  double t_s = 0.0;
  double power_w = 0.0;
};

/// A curve beside the sensors' traces: the simulated truth, or an external meter.
struct Curve {
  std::string name;  ///< "true power", "meter"
  std::vector<CurvePoint> points;
};

/// One experiment on a page: a recording, what was estimated from it, and curves to hold it
/// against. Times of curves are seconds since `origin`.
struct Section {
  std::string title;
  std::string text;  ///< a sentence or two for people, plain text
  HostTime origin;   ///< time 0 of the chart
  Recording recording;
  std::vector<energy::EnergyEstimate> estimates;
  std::vector<Curve> curves;
};

/// Everything that an HTML report shows.
struct Page {
  std::string title;
  std::string text;
  std::vector<Section> sections;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order shown
  /// Relative standard uncertainty of an uncalibrated gain, drawn as the traces' error band.
  double gain_standard_uncertainty = 0.0;
};

/// One self-contained HTML file: no network, light and dark, phone width, keyboard. Pure.
std::string render_html(const Page& page);

}  // namespace truewatt::report
