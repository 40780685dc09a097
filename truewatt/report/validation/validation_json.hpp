#pragma once

#include <string>

#include "truewatt/validate/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.validation/1` (docs/schemas/validation.schema.json): what `validate
/// workloads` found out. The same rules as energy_json.
std::string validation_json(const validate::Validation& validation);

}  // namespace truewatt::report
