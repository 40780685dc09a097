#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Standard deviation of readings at steady power, W, in order of time. A line through a reading's
/// neighbours leaves so much of it in the quietest quarter of them; where the quietest stretches
/// say a third of that or less, most readings show work, and these stretches tell. 0 of fewer than
/// three.
double scatter_of(const std::vector<ObservedReading>& readings);

}  // namespace truewatt::energy
