#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::ticks {

/// Usual interval between publications, seconds: the smallest well-filled cluster of intervals, so
/// that equal consecutive values (which look like one long interval) and missed ticks do not bias
/// it. With a 95 % interval from the regression of tick times on tick numbers. Nothing below four
/// publications.
std::optional<Interval> update_period(const std::vector<Tick>& ticks);

/// The ticks at the times of the regular grid nearest to them: for sources whose stamps jitter and
/// whose readings do not. Each is known as well as the stamps stray from the grid.
std::vector<Tick> on_grid(std::vector<Tick> ticks, double period);

/// What strays from a ring's grid by up to a quarter of its period: the stamps alone, or what they
/// stamp.
enum class Jitter { of_stamps, of_readings };

/// A ring's readings on their grid, whatever their stamps do; where the readings jitter, anywhere
/// between that and their stamps as long as these are within a quarter of the period. One that was
/// stamped later by two thirds may be of any time between its place on the grid and its stamp.
std::vector<Tick> ring_ticks(const std::vector<Tick>& stamped, double period,
                             Jitter jitter = Jitter::of_stamps);

/// The ticks anywhere between their stamps and the regular grid nearest to them, in brackets: for
/// sources that stamp some of their readings late and take only some of those late too.
std::vector<Tick> between_stamp_and_grid(std::vector<Tick> ticks, double period);

}  // namespace truewatt::ticks
