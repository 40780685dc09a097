#pragma once

#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/rounds.hpp"

namespace truewatt::memory {

/// Products of matrices, and rows of those that were not played or that no table predicts.
struct ProductEnergies {
  std::vector<PredictedProduct> predicted;
  std::vector<unsigned> missing;
  std::vector<unsigned> limited;  ///< those of a clock that a limit lowered
};

/// Plays products of matrices until then, each with its twin, into `seen.others`, on fewer
/// multiprocessors where a limit lowers the clock, and predicts them from the paths that were
/// fitted. Without counters (null) their sectors are computed, and
/// only levels whose rows are valid serve. Errors: those of the device and of the counters.
Result<ProductEnergies> measure_products(load::Load& load, counters::Counters* counters,
                                         Rounds& rounds, Observations& seen, Seconds until);

}  // namespace truewatt::memory
