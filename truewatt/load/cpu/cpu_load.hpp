#pragma once

#include <memory>
#include <string>

#include "truewatt/base/clock.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::load {

/// What a CPU load may be told; the defaults are right outside tests.
struct CpuLoadOptions {
  unsigned threads = 0;  ///< of level 1; 0: one per processor that this process may use
  bool yields = true;    ///< least priority; false: that of any program
};

/// Shortest stretch of CPU work that can be met: a sleeping thread wakes some tens of microseconds
/// late, on a busy machine later.
inline constexpr Seconds kShortestCpuStretch{1e-3};

/// Threads that compute at `level` of `threads`: none at 0, else at least one.
unsigned threads_for_level(double level, unsigned threads);

/// Multiply-adds on the processors that this process may use (its affinity mask), one thread
/// each, fewer for a level below 1, played to a schedule's absolute grid of edges. Every thread has
/// the least priority there is (SCHED_IDLE): whoever samples meanwhile is not delayed, and on a
/// busy machine the load gets only what is left; a note says so when that is less than 95 %. The
/// stamps of a stretch are the means of its threads' first and last look at the clock; a note
/// gives the spread where it exceeds a millisecond. A request to stop ends a stretch within a
/// millisecond.
///
/// `clock` must be the machine's and outlive the load (invalid_argument for a virtual one).
Result<std::unique_ptr<Load>> make_cpu_load(Clock& clock, const CpuLoadOptions& options = {});

}  // namespace truewatt::load
