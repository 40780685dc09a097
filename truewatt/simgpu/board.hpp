#pragma once

#include <vector>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/model/power_signal.hpp"

namespace truewatt::simgpu {

/// From `at` on (seconds) the load draws `level` in [0, 1].
struct LevelStep {
  double at = 0.0;
  double level = 0.0;
  double clock_share = 1.0;  ///< of the SM clock; below 1 the board is at its limit
};

/// One load on the board's time axis. A context exists from `lead` before the first step to
/// `margin` after the end, where the level is 0 again.
struct Play {
  std::vector<LevelStep> steps;  ///< in order of time, absolute
  double end = 0.0;
  double lead = kIdleMargin.count();
  double margin = kIdleMargin.count();
};

/// Number of equal steps from active idle down to idle. Burtscher 2014 says "step by step every
/// second" (section 4.2) and not how many; its Fig. 1 is drawn with about this many.
inline constexpr int kActiveIdleSteps = 4;

/// True power of the GPU for these plays (in order, not overlapping) under these throttles, with
/// the work of others beside them: levels add up to 1 at most, and others keep a context too.
PowerSignal board_power(const BoardDescription& board, const std::vector<Play>& plays,
                        const std::vector<Throttle>& throttles,
                        const std::vector<OtherWork>& others = {});

/// Activity in [0, 1] that these plays keep the GPU's blocks at under these throttles: all that a
/// driver knows which computes power instead of measuring it. No rise, no drift, no fluctuation.
PowerSignal board_activity(const std::vector<Play>& plays, const std::vector<Throttle>& throttles,
                           const std::vector<OtherWork>& others = {});

/// What runs at one moment, for utilisation and clocks.
struct Activity {
  bool context = false;
  bool throttled = false;
  double level = 0.0;
  double clock_share = 1.0;
};
Activity activity_at(const std::vector<Play>& plays, const std::vector<Throttle>& throttles,
                     double t, const std::vector<OtherWork>& others = {});

}  // namespace truewatt::simgpu
