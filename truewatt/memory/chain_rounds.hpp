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
  std::vector<AccessLine> lines;
};

/// Plays every chain until then, into `seen.others`. insufficient_data without a spinning loop; and
/// errors of the device.
Result<ChainEnergies> measure_chains(load::Load& load, Rounds& rounds, Observations& seen,
                                     Seconds until);

}  // namespace truewatt::memory
