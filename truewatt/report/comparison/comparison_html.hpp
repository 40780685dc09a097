#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/compare/results.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// The ratio with its intervals, and of runs in turns every round and every run. Empty where no run
/// of both has an energy.
std::vector<Figure> comparison_figures(const compare::EnergyComparison& comparison);

/// One self-contained HTML file like a measurement's: figures and tables. Pure.
std::string comparison_html(const compare::EnergyComparison& comparison,
                            const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
