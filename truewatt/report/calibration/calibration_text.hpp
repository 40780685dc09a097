#pragma once

#include <string>

#include "truewatt/calibrate/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// A calibration per source: its levels, gain and offset with their 95 % intervals, R squared, the
/// standard uncertainties and what limits them. Shows the first 20 levels of a source unless
/// verbose. UTF-8, ends with a newline. Pure.
std::string calibration_text(const calibrate::CalibrationRun& run, const TextOptions& options = {});

}  // namespace truewatt::report
