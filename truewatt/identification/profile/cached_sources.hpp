#pragma once

#include <vector>

#include "truewatt/identification/profile/source_profile.hpp"

namespace truewatt::identification {

/// A slow source may show what the driver also puts into its sample buffer, where a value stands
/// for one of the buffer's updates. Power sources beside such a buffer are fitted again with
/// readings taken back to when the driver took them, where they show that. Their delay, and that of
/// every client's cache, is widened to every age that a refresh can meet, so that it holds for
/// other runs too (docs/method.md, section 9). `work` is that of the fits. Pure.
void allow_for_held_readings(std::vector<CharacterizedSource>& sources,
                             const std::vector<Work>& work);

}  // namespace truewatt::identification
