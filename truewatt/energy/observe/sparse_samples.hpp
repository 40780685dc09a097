#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Seconds between the samples that a counter adds up where these are further apart than its ticks:
/// it counts as much in one tick as in two, since either holds one sample. 0 where counts go with
/// their lengths, or few of them differ in length. Pure.
double samples_apart(const std::vector<ObservedReading>& counts);

}  // namespace truewatt::energy
