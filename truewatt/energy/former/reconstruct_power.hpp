#pragma once

#include <cstddef>
#include <optional>

#include "truewatt/energy/results/figures.hpp"
#include "truewatt/energy/results/knowledge.hpp"

namespace truewatt::energy {

/// The power in the window and 0.9 s beside it, by the joint problem with the likeliest size of the
/// random part (docs/method.md, section 5, eq. 14h), calibrations undone. At `points` times evenly,
/// and on either side of the edges of known work. Seconds after `origin`. Nothing where there is no
/// joint problem, and of more than 500 stretches of work; whether its solution is believed,
/// estimate_energy() says (method "kriging"). Pure; any thread.
std::optional<ReconstructedPower> reconstruct_power(const Recording& recording,
                                                    const Window& window,
                                                    const Knowledge& knowledge, HostTime origin,
                                                    std::size_t points = 1000);

}  // namespace truewatt::energy
