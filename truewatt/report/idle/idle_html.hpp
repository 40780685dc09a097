#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/idle/results.hpp"

namespace truewatt::report {

/// The page: a figure of intervals and its table.
std::string idle_html(const idle::Ladder& ladder,
                      const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
