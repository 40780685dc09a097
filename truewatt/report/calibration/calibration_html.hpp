#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/calibrate/results.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// The levels of one source as sensor over meter with the fitted line, and their distances from it.
/// Nothing without levels.
std::vector<Figure> calibration_figures(const Calibration& calibration);

/// One self-contained HTML file like a measurement's: every calibrated source with its figures,
/// gain and offset, levels and what limits it; the refused ones with their reasons. Pure.
std::string calibration_html(const calibrate::CalibrationRun& run,
                             const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
