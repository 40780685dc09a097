#pragma once

#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/rounds.hpp"

namespace truewatt::memory {

/// Energy against threads and blocks, and against accesses.
struct ChainEnergies {
  std::vector<SweepPoint> sweep;
  std::vector<ParallelFit> fits;
  std::vector<AccessLine> lines;
  std::size_t chains = 0;    ///< that there are
  std::size_t missing = 0;   ///< of them, without a run
  std::size_t unsteady = 0;  ///< and with runs only in recordings whose idle moved
  std::size_t limited = 0;   ///< and with runs only at a clock that a limit lowered
};

/// What one round of all chains takes.
Seconds length_of_chains(const Rounds& rounds, const Sizes& sizes);

/// Plays every chain until then, into `seen.others`. insufficient_data without a spinning loop; and
/// errors of the device.
Result<ChainEnergies> measure_chains(load::Load& load, Rounds& rounds, Observations& seen,
                                     Seconds until);

}  // namespace truewatt::memory
