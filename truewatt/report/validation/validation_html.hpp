#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/report/page/figure.hpp"
#include "truewatt/validate/results.hpp"

namespace truewatt::report {

/// Fig. 18 of Yang 2024: errors of every workload by the reading held, by one run and by good
/// practice, with the paper's own beside.
std::vector<Figure> validation_figures(const validate::Validation& validation);

/// One self-contained HTML file like a measurement's: figures and tables. Pure.
std::string validation_html(const validate::Validation& validation,
                            const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
