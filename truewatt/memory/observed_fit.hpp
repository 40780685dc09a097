#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"

namespace truewatt::memory {

/// From what was seen to the joint fit (docs/method.md, eq. 39). Pure functions.

/// Steady points of a loop; those of a lowered clock only where its row has no others: a sector
/// costs less at a lower clock.
std::vector<microbenchmark::Point> points_of(const Observations& seen, std::size_t loop);

/// A stretch's energy above idle; `idle_u_w`: the standard uncertainty of a batch's idle.
uncertainty::Budget above_idle(const microbenchmark::Point& point, double idle_u_w);

/// Fits all loops' points together, or says why that failed.
void fit_observed(Observations& seen);

/// What the fit says beside the rows.
void conclude_fit(const Observations& seen, Table& table);

}  // namespace truewatt::memory
