#pragma once

#include <vector>

#include "truewatt/counters/counters.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/memory/observations.hpp"
#include "truewatt/memory/results.hpp"
#include "truewatt/memory/rounds.hpp"

namespace truewatt::memory {

/// Plays products of matrices until then, each with its twin, into `seen.others`, and predicts
/// them from the paths that were fitted. Those that were not played, or cannot be predicted, are
/// left out. Errors: those of the device and of the counters.
Result<std::vector<PredictedProduct>> measure_products(load::Load& load,
                                                       counters::Counters& counters, Rounds& rounds,
                                                       Observations& seen, Seconds until);

}  // namespace truewatt::memory
