#pragma once

#include <optional>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::ticks {

/// By how much a source's regular grid of ticks as a whole may lie later than on_grid puts it, by
/// the middles of the brackets, s: polls that take long and begin at the same phase of every tick
/// leave the same doubt at each, which no number of ticks averages out (docs/method.md, section 3).
/// The phases of all grids that pass through nearly every bracket. `period` says where to look,
/// seconds. Nothing below 50 ticks, for brackets that hide less than 0.2 ms, or where one in a
/// hundred stands off every grid: ticks that wander meet polls at all phases. Pure.
std::optional<Interval> common_shift(std::span<const Tick> ticks, const Interval& period);

}  // namespace truewatt::ticks
