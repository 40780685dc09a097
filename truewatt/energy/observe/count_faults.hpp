#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"
#include "truewatt/trace/trace.hpp"

// Counts that a counter cannot have counted.
namespace truewatt::energy {

/// By reading of a counter (one a sample of `trace`), whether what it shows says nothing of the
/// time before, so that it counts on from there: it stood for three `period`s and more while it was
/// read and did not make up for it, or nobody read it for long and all that it shows may have been
/// counted since then. `limit_w`: the most that the board may draw. Pure.
std::vector<bool> anew(const Trace& trace, const std::vector<ObservedReading>& readings,
                       double period, double limit_w);

/// Lets the board's counters count on behind a leap: a count, one of few, half as fast again as all
/// other counts and as everything that a power source showed. What it was more than a power source
/// shows is noted in `board.leaps`. Nothing where no power source stands beside. Pure.
void leave_out_leaps(ObservedBoard& board);

}  // namespace truewatt::energy
