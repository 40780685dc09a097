#pragma once

#include <memory>
#include <string>
#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/kernels/memory/access_kernel.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/served.hpp"

namespace truewatt::memory {

/// Sizes that the walks are made for.
struct Sizes {
  double l1_bytes = 131072;    ///< of the device, or the least that boards of today have
  double l2_bytes = 41943040;  ///< likewise
};

/// The walk that aims at a level, with so many accesses in its loop: an array of a third of the
/// cache or less, of eight L2 and 256 MB for DRAM; loads past L1 where L1 is not aimed at.
kernels::AccessPattern pattern_for(const LevelKey& key, unsigned copies, const Sizes& sizes);

/// The chain of Delestrac et al. (2024, Listing 1) at that level: 8-byte loads of random data, a
/// block of `threads` on every multiprocessor; with `divide`, a div.u32 behind each.
kernels::AccessPattern chain_for(Level level, unsigned threads, bool divide, const Sizes& sizes);

/// One loop of the joint fit.
struct Loop {
  std::size_t row = 0;  ///< of the table, or kNoRow
  kernels::AccessPattern pattern;
  std::shared_ptr<const kernels::Kernel> kernel;
  Served served{};  ///< sectors of one iteration of one thread
};
inline constexpr std::size_t kNoRow = static_cast<std::size_t>(-1);

/// Accesses in the loops of a row; its twins do without the first and the last.
inline constexpr unsigned kCopies[] = {2, 4, 8};

/// Rows and their loops, compiled and looked at.
struct Plan {
  std::vector<LevelRow> rows;
  std::vector<Loop> loops;
  std::string verified_by = "time";
  std::vector<std::string> notes;
};

/// Compiles all loops of all rows: each level, loads and stores, random bits and zeros, with 2, 4
/// and 8 accesses, and their twins without any. Rows whose machine code, count or level is not what
/// was meant say so and have no loops. `counters` null or refusing: levels rest on sizes, and the
/// rows say that. Errors: those of the device.
Result<Plan> make_plan(load::Load& load, counters::Counters* counters, const Sizes& sizes);

}  // namespace truewatt::memory
