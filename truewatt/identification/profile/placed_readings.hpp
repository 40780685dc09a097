#pragma once

#include <vector>

#include "truewatt/identification/profile/source_profile.hpp"

namespace truewatt::identification {

/// Fits the observation model to the source's readings of full work, wherever between their stamps
/// and the regular grid the ticks may be: the likeliest placement stays, with what its ticks stray
/// by (docs/method.md, section 9, "Ticks"). Readings up to `memory` seconds after work below full
/// are put aside as `level_readings`. `known` are fits of earlier readings to begin from. False
/// when there are too few readings. Pure.
bool fit_readings(CharacterizedSource& source, const std::vector<Work>& work, double memory,
                  std::vector<JointFit> known);

}  // namespace truewatt::identification
