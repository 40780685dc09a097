#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/estimate/estimate_energy.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::validate {

/// What one execution takes where a board does it again and again, as its own sensor tells it
/// (docs/validation.md, section 3).
struct SteadyState {
  double joules = 0.0;  ///< gross
  Seconds length{0};
  /// Standard uncertainty without the gain, as a share.
  double uncertainty = 0.0;
  double agreement = 1.0;  ///< counter's energy alone over the ring's
  /// Standard deviation of its runs' energies, as the sensor tells them, over their mean: another
  /// run differs from it by as much and what the mean of these leaves open. Absent of a single run.
  std::optional<double> run_to_run;
  bool throttled = false;  ///< clocks were limited in a part of it

  /// Gross joules of so many executions in a window; `idle` is what the rest of it draws.
  Joules of(int executions, Seconds window, Watts idle) const {
    return Joules(executions * joules) + idle * (window - executions * length);
  }
};

/// `runs` of a run, 0.7 to 1.3 of `gap` apart by chance: in step with nothing. Pure.
load::Schedule train_of(const load::Schedule& run, int runs, Seconds gap, unsigned seed);

/// `second` so much after `first`. Pure.
load::Schedule one_after_other(const load::Schedule& first, Seconds gap,
                               const load::Schedule& second);

/// From the first to the last work of each of so many runs, which the longest idles separate.
/// insufficient_data where there are fewer. Pure.
Result<std::vector<Window>> runs_of(const Recording& train, std::size_t count);

/// Of runs of so many executions each, at least one, that follow each other. insufficient_data
/// where one has no energy, its data have holes, or energy counter and sample ring, each alone over
/// all of them, differ by more than 0.5 %; unsupported where one of the two tells none;
/// ill_conditioned where one standard uncertainty is more than 0.5 %. Pure.
Result<SteadyState> steady_state_of(const Recording& train, const std::vector<Window>& runs,
                                    int executions, const energy::Knowledge& knowledge);

}  // namespace truewatt::validate
