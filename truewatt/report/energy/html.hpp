#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/measure/figures.hpp"
#include "truewatt/report/page/curve.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::report {

/// A table of plain text to show under a section's charts: fitted models, plateaus, levels.
struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row heads it
};

/// One experiment on a page: a recording, what was estimated from it, and curves to hold it
/// against. Times of curves are seconds since `origin`. Every text is plain text from anywhere: the
/// page escapes it.
struct Section {
  std::string title;
  std::string text;  ///< a sentence or two for people, plain text
  HostTime origin;   ///< time 0 of the chart
  Recording recording;
  std::vector<energy::EnergyEstimate> estimates;
  std::vector<Curve> curves;
  /// One name per estimate; when their number differs, the windows' labels or plain numbers serve.
  std::vector<std::string> estimate_labels{};
  std::vector<Table> tables{};
  measure::EstimateFigures figures{};
  std::optional<Joules> metered{};  ///< by an external meter, in the only estimate's window
};

/// Everything that an HTML report shows.
struct Page {
  std::string title;
  std::string text;
  std::vector<Table> results{};  ///< under the first table
  std::vector<Section> sections;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< in the order shown
  /// Relative standard uncertainty of an uncalibrated gain, drawn as the traces' error band.
  double gain_standard_uncertainty = 0.0;
};

/// One self-contained HTML file: no network, light and dark, phone width, keyboard. Charts show at
/// most 4000 points per curve (fewer when there are many curves, to stay near 3 MB); every number
/// comes from all readings. Without JavaScript the tables still tell everything. Pure.
std::string render_html(const Page& page);

}  // namespace truewatt::report
