#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/memory/results.hpp"

namespace truewatt::report {

/// The page: levels, caches, energy against parallelism, with the published figures of an A100
/// (Delestrac et al. 2024, Figs. 2 and 5 to 8) beside ours.
std::string memory_html(const memory::Table& table,
                        const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
