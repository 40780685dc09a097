#pragma once

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Puts the readings of every source on the scale of the first, as far as calibrations of both or
/// the profile's comparison of counter and power source tell how they differ, and notes how well
/// that is known (docs/method.md, section 5, "What all readings of a source share").
void put_on_one_scale(ObservedBoard& board, const Knowledge& knowledge);

}  // namespace truewatt::energy
