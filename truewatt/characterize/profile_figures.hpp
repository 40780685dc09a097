#pragma once

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/characterize/figures.hpp"

namespace truewatt::characterize {

/// The values that a characterization's figures show. Refits every source some eighty times for
/// its loss curves: a second or two. Pure.
ProfileFigures figures_of(const identification::Characterization& characterization);

/// Intervals between publications that nobody missed, in bins of about a fiftieth of the period,
/// which is the middle of one. Nothing below four of them.
std::optional<IntervalHistogram> interval_histogram(const std::vector<ticks::Tick>& ticks,
                                                    double update_period_s);

}  // namespace truewatt::characterize
