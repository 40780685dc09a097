#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::replication::yang {

/// The answer of a source to one step of a load, as its poller saw it. Times in seconds.
struct StepResponse {
  double base_w = 0.0;  ///< mean reading in the second before the step
  double top_w = 0.0;   ///< of the plateau: from half to 11/12 of the step (paper: 3 to 5.5 s of 6)
  double t10 = 0.0;     ///< first reading 10 % of the way up, since the load's begin
  double t50 = 0.0;
  double t90 = 0.0;
  /// Between the first readings 10 % and 90 % of the way down; absent where no idle of 3 s follows.
  std::optional<double> fall;

  double rise() const { return t90 - t10; }  ///< Yang 2024, section IV-B: 10 % to 90 %
  double delay() const { return t50; }       ///< 50 % crossing minus the load's begin
};

/// Answer of `readings` (in order; held from each to the next) to the load of `step`, seconds on
/// one axis; `until` is when the next load begins. Nothing when the step is lost in the readings:
/// below 1 W (the least that the paper's artifact looks for) or 5 standard deviations of the base.
std::optional<StepResponse> step_response(std::span<const ticks::Tick> readings,
                                          const identification::Work& step, double until);

/// The kinds of transient response of Yang 2024, section IV-B and Fig. 7.
enum class TransientKind {
  instant = 1,      ///< board and sensor at once: up by the next update
  slow_board = 2,   ///< the board takes several updates, the sensor follows it at once
  averaging = 3,    ///< a ramp in a straight line
  logarithmic = 4,  ///< a capacitor that charges
};

/// Above this a source with one query option averages over a second, and its window is not looked
/// for (artifact: "Risetime is too long").
inline constexpr double kLongestRise = 0.7;  // s

struct Transient {
  numerics::Summary rise;   ///< s; `sd` and `count` over all steps, `mean` over levels' means
  numerics::Summary delay;  ///< s; the same
  TransientKind kind = TransientKind::instant;

  bool too_long_for_window() const { return rise.mean > kLongestRise; }
};

/// Rise and delay, averaged over the repetitions of each level and then over levels, and the kind.
/// The paper tells the board from the sensor with a meter; here the fall tells: boards fall at
/// once, so what falls slowly is the sensor. Nothing of nothing.
std::optional<Transient> summarize_transient(const std::vector<std::vector<StepResponse>>& by_level,
                                             double update_period);

}  // namespace truewatt::replication::yang
