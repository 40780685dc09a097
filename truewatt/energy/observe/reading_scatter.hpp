#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Standard deviation of readings at steady power, W, in order of time: a line through a reading's
/// neighbours leaves so much of it in the quietest quarter of them. Too much where most readings
/// show work. 0 of fewer than three.
double scatter_of(const std::vector<ObservedReading>& readings);

/// That of the quietest stretches of nine readings, where they say a third of scatter_of() or less.
double scatter_at_rest(const std::vector<ObservedReading>& readings);

}  // namespace truewatt::energy
