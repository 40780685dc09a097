#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/report/energy/html.hpp"
#include "truewatt/report/energy/section_curves.hpp"
#include "truewatt/report/page/chart_data.hpp"

namespace truewatt::report {

/// Every curve of a section, decimated to `limit` points each; names are unique.
std::vector<ChartSeries> chart_series(const Section& section, std::size_t limit);

/// Points that a curve of this page may have, so that the file stays near 3 MB.
std::size_t points_per_series(const Page& page);

}  // namespace truewatt::report
