#pragma once

#include "truewatt/instructions/observations.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// From what was seen to rows: slopes, partners subtracted, reasons. Pure functions.

/// Half-width of 0.2 pJ, which is enough whatever share of an instruction it is.
inline constexpr double kTargetJoules = 0.2e-12;

/// Fits every row to its points, those of recordings whose idle moved excluded, and says what is
/// wrong with it. `target`: the relative half-width above which a row is imprecise.
void judge_rows(Observations& seen, double target);

/// Puts what all rows stand on into the table: baselines, and what gain and offset add to them.
void conclude_baselines(const Observations& seen, Table& table);

/// Whether the row has an energy that is known neither to `target` nor to kTargetJoules.
bool is_wide(const Row& row, double target);

/// Whether the row's energy may be 0 for all that is known, and is not known to kTargetJoules.
bool may_be_nothing(const Row& row);

/// Whether a limit lowered the clock while the row ran.
bool is_limited(const MeasuredRow& measured);

}  // namespace truewatt::instructions
