#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/former/idle.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/energy/former/source_age.hpp"

// What counter differencing and the padded sum have in common: how far idle is looked for, what a
// reading's age hides, and how an energy is put together from its terms. Pure functions.
namespace truewatt::energy {

/// Idle after a window that the source takes long to forget is looked for up to so many times as
/// far as `reach_of` says.
inline constexpr int kFurthest = 8;

/// How far from the window idle is looked for, s.
double reach_of(const PaddedInput& input);

/// Error: no steady idle on that side ("before" or "after").
Unexpected no_idle(std::string_view side);

/// Puts gross, net, baseline and budget together. `terms` are of the gross energy.
PaddedEnergy assemble(double gross, std::vector<uncertainty::Term> terms, const Uncertain& before,
                      const Uncertain& after, double length);

/// What is known of a reading's age.
SourceAge age_of(std::span<const Stretch> all, const PaddedInput& input, const WindowEdges& edges);

/// Energy that a reading's age hides: at the begin it still lacks lag * idle before, at the end lag
/// * idle after (docs/method.md, eq. 11).
Uncertain lag_energy(const Uncertain& lag, const Uncertain& before_w, const Uncertain& after_w);

}  // namespace truewatt::energy
