#pragma once

#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::analyze {

/// Seconds that are in one window or several; at least one window.
double busy_of(std::vector<Window> windows);

/// Windows of one label together, in the order of their first. `results` are those of `windows`.
std::vector<energy::LabelResult> labels_of(const std::vector<Window>& windows,
                                           const std::vector<energy::WindowResult>& results,
                                           const energy::EnergyEstimator& estimator);

}  // namespace truewatt::analyze
