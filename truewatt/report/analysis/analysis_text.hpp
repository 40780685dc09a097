#pragma once

#include <string>

#include "truewatt/analyze/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// What recorded data say: per source its fitted model and a table of windows with naive,
/// estimated and metered joules and the plateaus of sensor and meter; reasons as sentences. Shows
/// the first 40 windows of a source unless verbose. UTF-8, ends with a newline. Pure.
std::string analysis_text(const analyze::Analysis& analysis, const TextOptions& options = {});

}  // namespace truewatt::report
