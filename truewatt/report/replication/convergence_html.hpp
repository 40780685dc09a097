#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/replication/yang/results.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// Mean error and spread over the number of executions for every load of a source, with the curves
/// that are published of an A100 (Fig. 17 of Yang 2024) where its case is theirs.
std::vector<Figure> convergence_figures(const replication::ConvergenceCase& one);

/// One self-contained HTML file like a measurement's: figures and tables of every source. Pure.
std::string convergence_html(const replication::Convergence& convergence,
                             const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
