#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/energy/former/idle.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::energy {

/// Window and knowledge beside the readings, in seconds on the ticks' axis.
struct PaddedInput {
  double begin = 0.0;
  double end = 0.0;
  /// Where other windows end before this one and begin after it: no idle is looked for beyond.
  double earliest = -std::numeric_limits<double>::infinity();
  double latest = std::numeric_limits<double>::infinity();
  double update_period = 0.1;  ///< s, of this source
  /// Idle power before and after, from another source, where this one shows too little of it.
  std::optional<Uncertain> idle_before_w;
  std::optional<Uncertain> idle_after_w;
  /// Mean age of the energy in a reading: delay + lag + half the window, from a profile. Without
  /// one it is taken from how long the source needs to settle after the window, and where it
  /// settles at once as kUsualAge.
  std::optional<Uncertain> lag_s;
  /// The same as published about the source, where there is no profile: a prior, which the
  /// recording may contradict.
  std::optional<Interval> published_age_s;
  double quantum = 0.0;           ///< J of a counter, W of a power source
  double averaging_window = 0.0;  ///< s; power sources only: what a reading is known to cover
  /// Power sources: between readings, those that are kept as sums (trace/condense.hpp), in order.
  std::vector<Stretch> condensed{};
};

/// Energy of a window whose two sides are idle, by one source.
struct PaddedEnergy {
  Uncertain gross_j;     ///< without the gain's uncertainty
  Uncertain net_j;       ///< above the baseline, likewise
  Uncertain baseline_w;  ///< mean of the idle powers before and after
  Uncertain idle_before_w;
  Uncertain idle_after_w;
  bool own_idle_before = true;  ///< as the source itself showed it; false: PaddedInput's
  bool own_idle_after = true;
  std::vector<uncertainty::Term> budget;  ///< of gross_j
  /// Whether the recording follows the published age; absent where nothing tells.
  std::optional<bool> published_agrees;
};

/// Counter differencing (docs/method.md, eq. 9-11): a line through the ticks of the idle before the
/// window gives the count at its begin, a line through those after it the count at its end, so the
/// padding to whole ticks and the lag of the counted power cost no energy. Assumes that the counter
/// counts everything. Errors: ill_conditioned when the idle on a side cannot be told.
Result<PaddedEnergy> counter_difference(std::span<const ticks::Tick> counts,
                                        const PaddedInput& input);

/// Padded sum of a power source (docs/method.md, eq. 12-14): each reading stands for the time since
/// the one before it, the padding's idle is taken away again. What the source did not look at
/// enters as variance from successive differences, which is right only when load and sensor are not
/// in step. Errors as above, and insufficient_data below two readings in the window.
Result<PaddedEnergy> padded_sum(std::span<const ticks::Tick> readings, const PaddedInput& input);

/// The same of stretches of time, each with the reading that stands for it; `widest_tick` is the
/// largest standard uncertainty of a tick's time, s.
Result<PaddedEnergy> padded_sum(std::span<const Stretch> readings, double widest_tick,
                                const PaddedInput& input);

/// Variance, J^2, of what a reading that looks at `window` of the `length` seconds that it stands
/// for did not look at, where it differs by `change` W from the one before (docs/method.md, eq.
/// 13).
double unobserved_j2(double length, double window, double change);

}  // namespace truewatt::energy
