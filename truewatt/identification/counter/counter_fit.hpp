#pragma once

#include <span>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/model/source_class.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// What the increments of an energy counter say of it. Times in seconds.
struct CounterFit {
  /// Of increments as mean power. `averaging_window` is what an increment looks at (sampled: each
  /// of the readings it sums).
  ObservationFit fit;
  Counting counting = Counting::all;
  double inner_period = 0.0;  ///< sampled: from one inner reading to the next
  double gap_begin = 0.0;     ///< gap: so long after a tick
  Interval gap_length;        ///< gap
  double age = 0.0;           ///< of the counted energy at a tick, on average, s
  /// By how much the mean power over a period is later than one reading of `fit`.
  double older = 0.0;
  double older_sd = 0.0;
  bool on_grid = false;        ///< the ticks' times: of their grid, or where they were seen
  double edge_noise_w = 0.0;   ///< of increments within which the load changed, rms
  double quiet_noise_w = 0.0;  ///< of the others
  /// Above 0: counts of steady power scatter as if a reading so long were in one or in the next, s;
  /// the counting is unresolved then.
  double strays_s = 0.0;
  bool was_reset = false;  ///< an increment was negative

  /// Share of the time at which it looks, 0..1: a lag C remembers 2 C.
  double duty(double update_period) const;
};

/// Mean power between neighbouring ticks of a counter, W, at the later one's time. Left out: where
/// a tick was missed (more than 1.5 `period`s) and where the counter went backwards.
std::vector<ticks::Tick> increments(std::span<const ticks::Tick> ticks, double period);

/// Fits the observation model to the increments of an energy counter with this update period of
/// known work, and finds out which part of the time they look at (docs/method.md, section 9). The
/// ticks are taken where they were seen or on their grid, whichever is likelier. `earlier` as for
/// fit_observation. Pure; errors are those of fit_observation.
Result<CounterFit> fit_counter(std::span<const ticks::Tick> ticks, std::span<const Work> work,
                               double period, std::span<const JointFit> earlier = {});

}  // namespace truewatt::identification
