#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/measure/results.hpp"
#include "truewatt/report/page/figure.hpp"

namespace truewatt::report {

/// Energy of one execution by every trial of one device, with their mean and its interval but for
/// the gain. Empty with fewer than two trials that have an energy.
std::vector<Figure> repetition_figures(const energy::EnergyEstimate& mean,
                                       const std::vector<measure::TrialEnergy>& trials);

/// One self-contained HTML file like a measurement's: of every device the mean of one execution,
/// its trials and its budget. Needs a repetition. Pure.
std::string repetition_html(const measure::EnergyRun& run, const std::string& title,
                            const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace truewatt::report
