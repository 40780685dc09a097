#pragma once

#include <optional>
#include <vector>

#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// How warm work has made a board: a first-order lag of the work, 0 cold, 1 after full work for
/// good.
struct Warmth {
  double time_constant_s = 0.0;
  double now = 0.0;     ///< at the time that was asked for
  double before = 0.0;  ///< at the begin of the first work
  double idle_w = 0.0;  ///< what a warmth of 1 adds to idle, W of the source
  double work_w = 0.0;  ///< and to full work beyond that
  /// By how much it explains the readings better than a drift in proportion to time: difference of
  /// BIC.
  double better = 0.0;
};

/// The warmth whose effect on idle and on full work, linear in it, explains the readings best, of
/// time constants from 3 to 160 s and of boards that were cold or warm before the first work
/// (docs/method.md, eq. 17b). Warm before only where that is better by 10 in twice the cost. A
/// rough estimate for planning, without an uncertainty: where readings are shorter than the time
/// constant only the effect's slope is known. Nothing below 20 readings or without work. Pure.
std::optional<Warmth> fit_warmth(const FitData& data, const JointFit& fit, double at);

/// Seconds of full work that bring the board to where work for this share of the time, in (0, 1),
/// would bring it; negative: so long must it rest.
double work_towards(const Warmth& warmth, double share);

}  // namespace truewatt::identification
