#pragma once

#include <string>

#include "truewatt/measure/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.energy/1` (docs/schemas/energy.schema.json): what `measure`, `run`
/// and `demo` found out. Indented UTF-8 that ends with a newline. What is absent or not finite is
/// null; doubles read back to the same bits. Pure.
std::string energy_json(const measure::EnergyRun& run);

}  // namespace truewatt::report
