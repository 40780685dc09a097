#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/instructions/results.hpp"

namespace truewatt::report {

/// One self-contained HTML file: what the energies stand on, and for each group a chart of values
/// with their intervals and a table with the machine code. Pure.
std::string instructions_html(const instructions::Table& table,
                              const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
