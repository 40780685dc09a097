#pragma once

#include <string>

#include "truewatt/replication/yang/results.hpp"

namespace truewatt::report {

/// The JSON document `truewatt.convergence/1` (docs/schemas/convergence.schema.json): what
/// `validate convergence` found out. The same rules as energy_json.
std::string convergence_json(const replication::Convergence& convergence);

}  // namespace truewatt::report
