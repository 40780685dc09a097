#pragma once

#include <string>

#include "truewatt/study/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.energy/1` (docs/schemas/energy.schema.json): what `measure`, `run`
/// and `demo` found out. Indented UTF-8 that ends with a newline. What is absent or not finite is
/// null; doubles read back to the same bits. Pure.
std::string energy_json(const study::EnergyRun& run);

/// The JSON document `truewatt.analysis/1` (docs/schemas/analysis.schema.json): what `analyze`
/// found out about recorded data. The same rules as energy_json.
std::string analysis_json(const study::Analysis& analysis);

/// The JSON document `truewatt.comparison/1` (docs/schemas/comparison.schema.json): what `compare`
/// found out. The same rules as energy_json.
std::string comparison_json(const study::EnergyComparison& comparison);

/// The JSON document `truewatt.convergence/1` (docs/schemas/convergence.schema.json): what
/// `validate convergence` found out. The same rules as energy_json.
std::string convergence_json(const study::Convergence& convergence);

/// The JSON document `truewatt.validation/1` (docs/schemas/validation.schema.json): what `validate
/// workloads` found out. The same rules as energy_json.
std::string validation_json(const study::Validation& validation);

}  // namespace truewatt::report
