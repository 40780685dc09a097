#pragma once

#include <optional>

#include "truewatt/load/load.hpp"
#include "truewatt/study/device_set.hpp"
#include "truewatt/study/measurement.hpp"

namespace truewatt::study {

/// What a train of runs says of one execution: the reference for runs as long on a device whose
/// true energy nobody knows (docs/validation.md, section 3).
struct SteadyState {
  double net_j = 0.0;  ///< of one execution, above idle
  std::optional<double>
      agreement;           ///< counter's energy alone over the ring's, where both are there
  bool throttled = false;  ///< clocks were limited in a part of it
};

/// `runs` of a run, 0.7 to 1.3 of `gap` apart by chance, so that they are in step with nothing.
/// Pure.
load::Schedule train_of(const load::Schedule& run, int runs, Seconds gap, unsigned seed);

/// Of a train of `executions` in all, on its first device. insufficient_data where it has no
/// energy, its data have holes, or energy counter and sample ring, each alone, differ by more than
/// 0.5 %.
Result<SteadyState> steady_state_of(const Measurement& train, const Device& device, int executions);

}  // namespace truewatt::study
