#pragma once

#include <string>

#include "truewatt/analyze/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.analysis/1` (docs/schemas/analysis.schema.json): what `analyze`
/// found out about recorded data. The same rules as energy_json.
std::string analysis_json(const analyze::Analysis& analysis);

}  // namespace truewatt::report
