#pragma once

#include <cstddef>
#include <optional>

#include "truewatt/energy/figures.hpp"
#include "truewatt/energy/knowledge.hpp"

namespace truewatt::energy {

/// The power in the window and 0.9 s beside it, by the joint estimate with the likeliest size of
/// the random part (docs/method.md, section 5, eq. 14h), calibrations undone. At about `points`
/// times evenly, and on either side of the edges of known work, where these are not more. Seconds
/// after `origin`. Nothing where there is no joint estimate. Pure; any thread.
std::optional<ReconstructedPower> reconstruct_power(const Recording& recording,
                                                    const Window& window,
                                                    const Knowledge& knowledge, HostTime origin,
                                                    std::size_t points = 1000);

}  // namespace truewatt::energy
