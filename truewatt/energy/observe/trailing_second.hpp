#pragma once

#include <vector>

#include "truewatt/energy/observe/observed_board.hpp"

namespace truewatt::energy {

/// Whether readings that nobody characterized show the mean of the last second, as most drivers'
/// `power.draw` does (Yang 2024, Fig. 14, behaviour 3): where the power steps, they rise and fall
/// in a straight line for a second, or, of work shorter than that, fall in the line that they rose
/// by a second after they did. True only where two edges or more say so, and none is faster.
/// Readings that come less often than every quarter of a second do not show it. Pure.
bool show_trailing_second(const std::vector<ObservedReading>& readings, double period);

/// Whether two readings in a row, a quarter of a second apart at most, step by more of the range of
/// all than any mean over a second does. Pure.
bool step_at_once(const std::vector<ObservedReading>& readings);

/// Whether one source of a GPU shows the mean of what another showed in the last second: nearer to
/// it than a third of its own scatter, and than half of what it is from the other's readings
/// themselves. Both as they were polled. Pure.
bool shows_last_second_of(const Trace& slow, const Trace& fast);

/// Whether a source is nearer to the mean of what another showed in the last second than to what it
/// shows: of a source that is the one or the other, which it is. Rows a second and more apart tell
/// that, and no more. Both as they were polled. Pure.
bool is_nearer_to_last_second_of(const Trace& slow, const Trace& fast);

}  // namespace truewatt::energy
