#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "truewatt/memory/observations.hpp"

/// What the board's power limit does to loops, and on how many multiprocessors they run because of
/// it: at a lowered clock a sector costs less. Pure functions.
namespace truewatt::memory {

/// Shares of the multiprocessors that every loop runs on: what is not proportional to the sectors
/// shows between them.
inline constexpr std::array<double, 2> kUsualShares{1.0, 0.5};

/// Whether a limit lowered the clock: by the driver's word, or because it is lower than while
/// spinning.
bool is_limited(const Observations& seen, const microbenchmark::Point& point);

/// The shares of the multiprocessors that a loop runs on next: all and half of them, or, where a
/// limit lowered the clock on those, the most that were seen free of it, or fewer than were tried.
std::vector<double> shares_for(const Observations& seen, std::size_t loop);
/// Whether a limit lowered the clock in all stretches of the loop, and there are fewer
/// multiprocessors to try.
bool needs_fewer(const Observations& seen, std::size_t loop);

}  // namespace truewatt::memory
