#pragma once

#include <string>

#include "truewatt/compare/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.comparison/1` (docs/schemas/comparison.schema.json): what `compare`
/// found out. The same rules as energy_json.
std::string comparison_json(const compare::EnergyComparison& comparison);

}  // namespace truewatt::report
