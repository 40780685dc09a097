#pragma once

#include <span>
#include <vector>

#include "truewatt/idle/results.hpp"
#include "truewatt/idle/stretches.hpp"

namespace truewatt::idle {

/// The ladder's rows out of its stretches: the mean of those of one rung and one SM clock (within 5
/// %). Stretches that settled come before others. How far the power of two such stretches differs,
/// over all rungs, replaces their own random errors. A rung without a stretch has a row that says
/// so. Pure.
std::vector<Row> rows_of(std::span<const SeenStretch> stretches);

/// Whether the bare stretches look like those of another process's context, so that making and
/// dropping ours shows nothing: the device was busy, much of its memory was in use, or neither
/// clock nor power rose with our context. Pure.
bool is_held_by_others(std::span<const SeenStretch> stretches);

/// Whether somebody worked while nothing of ours did: the device was busy in a bare stretch or in
/// one with a context alone. Pure.
bool is_busy_with_others(std::span<const SeenStretch> stretches);

}  // namespace truewatt::idle
