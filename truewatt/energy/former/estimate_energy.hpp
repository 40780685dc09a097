#pragma once

#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// The seam of the science: energy of one window from everything recorded on one device. Chooses
/// the source (an energy counter before any power source), estimates gross and net energy with
/// their budget, adds every source's naive joules, and says what it could not tell and why. Never
/// fails: an estimate without a number carries its reasons. Pure; any thread.
EnergyEstimate estimate_energy(const Recording& recording, const Window& window,
                               const Knowledge& knowledge = {},
                               const EstimateOptions& options = {});

}  // namespace truewatt::energy
