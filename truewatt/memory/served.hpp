#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/counters.hpp"
#include "truewatt/kernels/memory/access_kernel.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/level.hpp"

namespace truewatt::memory {

/// Sectors of one iteration of one thread, by the level that served them.
using Served = std::array<double, kLevels>;

double total_of(const Served& served);
/// Of the sectors, the share served at `level`; 0 of none.
double share_at(const Served& served, Level level);

/// What counters say of a pattern's accesses as sectors by level; what they do not count is 0.
/// Loads: those that L1 had, those that L2 had of L1's misses, the rest from DRAM. Stores: those
/// that reached L1 and went no further, those that L2 kept, those written to DRAM.
Served served_of(const counters::Counts& counts, const kernels::AccessPattern& pattern);

/// What an iteration comes to if all of it is served at `level` (Delestrac et al. 2024, Eq. 7).
Served aimed_at(const kernels::AccessPattern& pattern, Level level);

/// Counts the launches of a compiled kernel with few and with more iterations after one that warms
/// the caches up; the difference is free of what a launch begins with (section V-B).
/// `local_sectors` gets what spilled registers moved.
struct CountedAccess {
  Served served{};
  double local_sectors = 0.0;
  /// Of L2's sectors, the share that came from the other partition; absent where none is counted.
  std::optional<double> far_share;
};
Result<CountedAccess> count_accesses(load::Load& load, counters::Counters& counters,
                                     const kernels::Kernel& kernel,
                                     const kernels::AccessPattern& pattern);

}  // namespace truewatt::memory
