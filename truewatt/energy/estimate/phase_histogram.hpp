#pragma once

#include <vector>

#include "truewatt/energy/results/figures.hpp"
#include "truewatt/energy/results/knowledge.hpp"

namespace truewatt::energy {

/// For every power source whose model a profile has: when work ran before its updates within the
/// window, and when its readings look. Nothing where nobody knows when work ran, of sources with
/// fewer than ten updates there, where work never rested, and of those that look back over so many
/// periods that no phase is another. Pure; any thread.
std::vector<PhaseHistogram> phase_histograms(const Recording& recording, const Window& window,
                                             const Knowledge& knowledge);

}  // namespace truewatt::energy
