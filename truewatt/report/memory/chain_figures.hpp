#pragma once

#include <vector>

#include "truewatt/memory/results.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// Chains against parallelism and against the number of accesses, as Figs. 5 to 8 of Delestrac et
/// al. (2024), with what these published beside them. None of a table without chains.
std::vector<Figure> chain_figures(const memory::Table& table);

}  // namespace truewatt::report
