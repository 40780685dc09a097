#pragma once

#include <map>
#include <vector>

#include "truewatt/identification/profile/source_profile.hpp"

namespace truewatt::identification {

/// Settled power of each level of the load over that of full work, as readings showed it: blocks on
/// a share of a GPU's multiprocessors need not draw that share of its power.
using LevelHeights = std::map<double, double>;

/// The same work with the heights of its levels replaced by those known; others stay.
std::vector<Work> with_heights(std::vector<Work> work, const LevelHeights& heights);

/// Writes into the profile of every fitted power source what it made of each level below full.
/// `levels` is the work with its nominal heights. The heights that the source with most readings
/// shows, to be used in the next fit; empty where only full work was played. Pure.
LevelHeights add_level_findings(std::vector<CharacterizedSource>& sources,
                                const std::vector<Work>& levels);

}  // namespace truewatt::identification
