#pragma once

#include <memory>
#include <span>
#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/memory/plan.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/uncertainty/budget.hpp"

namespace truewatt::memory {

/// A chain of loads at one level and parallelism.
struct Chain {
  Level level = Level::l1;
  Parallelism parallel;
  bool divide = false;
  kernels::AccessPattern pattern;
  std::shared_ptr<const kernels::Kernel> kernel;
  std::vector<double> stretches;  ///< lengths that it is played for, as factors of the usual one
};

/// Chains of 1 to 1024 threads a block at every level, each without and with a division behind
/// every load (Delestrac et al. 2024, Figs. 6 to 8), and of 1024 threads on an eighth to half of
/// the multiprocessors; in L1 with 1 and 1024 threads, of three lengths (Fig. 5). Not compiled yet.
std::vector<Chain> plan_chains(const Sizes& sizes);

/// Compiles them; those that do not compile are left out. Errors: those of the device.
Result<std::vector<Chain>> make_chains(load::Load& load, const Sizes& sizes);

/// One run of a chain.
struct ChainRun {
  const Chain* chain = nullptr;
  uncertainty::Budget joules;  ///< above idle
  uncertainty::Budget spin;    ///< what all multiprocessors, spinning, would have drawn of it
  double gross_j = 0.0;        ///< all that the board drew
  double seconds = 0.0;
  double iterations = 0.0;  ///< of all threads together
};

/// Energy above idle of a sector by level and threads, and of a division: the difference of the
/// chains with and without one, of a thread, above spinning, so that it is not charged with the
/// time that it takes. Pure.
std::vector<SweepPoint> sweep_of(std::span<const ChainRun> runs);

/// How well those energies explain the runs, by threads and multiprocessors. Pure.
std::vector<ParallelFit> fits_of(std::span<const ChainRun> runs);

/// Energy against accesses where a chain was played at several lengths, with its line. Pure.
std::vector<AccessLine> lines_of(std::span<const ChainRun> runs);

}  // namespace truewatt::memory
