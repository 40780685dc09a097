#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/page/chart_data.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// What page.js draws of one section, as JSON text that is safe inside a <script>: its curves,
/// shaded windows, bars and budgets of the charted estimates, and figures.
std::string chart_json(const Section& section, const std::vector<ChartSeries>& series,
                       const std::vector<Figure>& figures);

/// The curves that are drawn with fewer points than they have, in a sentence; "" if none.
std::string decimation_note(const std::vector<ChartSeries>& series, std::size_t points_per_series);

}  // namespace truewatt::report
