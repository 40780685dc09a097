#pragma once

#include <optional>
#include <utility>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/estimate_energy.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::study {

/// What a train of runs says of one execution: the reference for runs as long on a device whose
/// true energy nobody knows (docs/validation.md, section 3).
struct SteadyState {
  double net_j = 0.0;      ///< of one execution, above idle
  double agreement = 1.0;  ///< counter's energy alone over the ring's
  /// Standard deviation of its runs' energies, as the sensor tells them, over a run's share of all
  /// that it drew: how far one more run strays from the reference. Absent of a single run.
  std::optional<double> run_to_run;
  bool throttled = false;  ///< clocks were limited in a part of it
};

struct RunCount {
  int runs = 1;
  int executions = 1;  ///< of each
};

/// `runs` of a run, 0.7 to 1.3 of `gap` apart by chance: in step with nothing. Pure.
load::Schedule train_of(const load::Schedule& run, int runs, Seconds gap, unsigned seed);

/// One load, and `gap` after its end another. Pure.
load::Schedule one_after_other(const load::Schedule& first, Seconds gap,
                               const load::Schedule& second);

/// The recording's first window in two, in the middle of the idle before the work that was to begin
/// `second` after its begin: programs take longer or shorter than planned. Where no more than one
/// stretch of work is known, at the time that was planned. Pure.
std::pair<Window, Window> parted(const Recording& both, Seconds second);

/// Of a window with so many runs. insufficient_data where it has no energy, its data have
/// holes, or energy counter and sample ring, each alone, differ by more than 0.5 %; unsupported
/// where one of the two tells none; ill_conditioned where one standard uncertainty of what it drew
/// above idle is more than 0.5 % of all. Pure.
Result<SteadyState> steady_state_of(const Recording& train, const Window& window, RunCount count,
                                    const energy::Knowledge& knowledge);

}  // namespace truewatt::study
