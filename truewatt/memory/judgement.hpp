#pragma once

#include <cstddef>
#include <optional>

#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::memory {

/// From the joint fit to rows: paths and increments, reasons. Pure functions.

/// Fits all loops' points together and says of every row what it costs and what is wrong with it.
/// `target`: the relative half-width above which a row is imprecise.
void fit_and_judge(Observations& seen, double target);

/// Without counters, a level that is neither faster nor cheaper than the next one was not what
/// served, and DRAM is not reached by an array that L2 may hold.
void tell_levels_apart(Observations& seen);

/// The path of a column's sectors, and what is not known of where it leads; nothing without a fit.
std::optional<uncertainty::Budget> path_of(const Observations& seen, std::size_t column);
/// The column of this level with the key's operation and data.
std::optional<std::size_t> column_of(const Observations& seen, const LevelKey& key, Level level);

/// Whether a row is wider than `target` by what more runs narrow: not by what nobody counted.
bool is_wide(const Observations& seen, std::size_t column, double target);

}  // namespace truewatt::memory
