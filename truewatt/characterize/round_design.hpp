#pragma once

#include <cstdint>
#include <vector>

#include "truewatt/characterize/schedules.hpp"
#include "truewatt/identification/profile/source_profile.hpp"

namespace truewatt::characterize {

/// What is known to this share of what is asked for stays known when the last readings come in.
inline constexpr double kWellResolved = 0.5;

/// The kind of random work from which most is expected for the source that is furthest from being
/// known; kinds are compared on work drawn from `seed` (docs/method.md, section 9). Pure.
RandomWork best_kind(const std::vector<identification::CharacterizedSource>& sources,
                     std::uint64_t seed);

}  // namespace truewatt::characterize
