#pragma once

#include <map>
#include <string>
#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

// What several windows of one recording are together, and by each source alone. Pure functions.
namespace truewatt::energy {

/// Seconds that are in one window or several; at least one window.
double busy_of(std::vector<Window> windows);

/// Windows of one label together, in the order of their first. `results` are those of `windows`.
std::vector<LabelResult> labels_of(const std::vector<Window>& windows,
                                   const std::vector<WindowResult>& results,
                                   const EnergyEstimator& estimator);

/// The energy of every window, in their order, by each source of the GPU alone that has one, by
/// source name. It costs a course for each source.
std::vector<std::map<std::string, EnergyInterval>> energies_by_source(
    const Recording& recording, const Knowledge& knowledge, const EstimateOptions& options,
    const std::vector<Window>& windows);

}  // namespace truewatt::energy
