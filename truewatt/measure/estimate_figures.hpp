#pragma once

#include <string>
#include <vector>

#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/measure/figures.hpp"

namespace truewatt::measure {

/// A window, and how its energy was estimated (energy::EnergyEstimate::method).
struct EstimatedWindow {
  Window window;
  Coded<energy::Method> method;
};

/// The figures of these estimates, at least one, that `estimator` made of the recording; times
/// after the first window's begin. Where the method is not the joint one no power is drawn. The
/// phases are those of the first window. Pure.
EstimateFigures estimate_figures(const Recording& recording,
                                 const energy::EnergyEstimator& estimator,
                                 const std::vector<EstimatedWindow>& windows,
                                 const energy::Knowledge& knowledge);

}  // namespace truewatt::measure
