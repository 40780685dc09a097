#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/replication/readers/power_readings.hpp"

namespace truewatt::replication::burtscher {

/// Below this many readings of a load the paper expects errors above 5 % (Burtscher 2014,
/// section 4.3).
inline constexpr std::size_t kFewestReadings = 10;

/// P = end_w + (start_w - end_w) exp(-(t - from) / C): a capacitor that is charged or discharged.
struct Capacitor {
  Uncertain constant;       ///< C, s
  double from = 0.0;        ///< s; the first reading of the curve
  double start_w = 0.0;     ///< there
  double end_w = 0.0;       ///< what it tends to
  double difference_w = 0;  ///< mean distance of the readings from the curve
};

/// The curve with the least sum of absolute differences from the readings of one step (Burtscher
/// 2014, section 5). Where the step began does not matter: any later part of the curve has the same
/// C. The standard uncertainty holds the scatter of these readings, as strongly as neighbours share
/// it, and no bias. Nothing below kFewestReadings, and where the readings do not bend.
std::optional<Capacitor> fit_capacitor(Readings readings);

/// Why a source has no capacitor to correct for, or `capacitor` with its constant.
enum class StepKind {
  capacitor,
  instant,     ///< it follows within its next updates, like the paper's K20x
  ramp,        ///< it rises in a straight line: an average over a window
  slow_board,  ///< it rises slowly and falls at once: the board's doing
  unknown,     ///< too few readings, or none that rise
};

struct StepAnswer {
  StepKind kind = StepKind::unknown;
  std::optional<Capacitor> capacitor;
};

/// The answer to one step of a load at `load`, whose idle before and after stands in `readings`.
/// Only kind `capacitor` has one: its rise bends as a capacitor's better than a ramp's, its
/// discharge after the load takes at least half as long, and C is not below `update_period`, where
/// the curve has hardly a reading.
StepAnswer answer_to_step(Readings readings, const identification::Work& load,
                          double update_period);

}  // namespace truewatt::replication::burtscher
