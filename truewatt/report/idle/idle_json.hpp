#pragma once

#include <string>

#include "truewatt/idle/results.hpp"

namespace truewatt::report {

/// `truewatt.idle/1` (docs/schemas/idle.schema.json).
std::string idle_json(const idle::Ladder& ladder);

}  // namespace truewatt::report
