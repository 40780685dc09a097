#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/ticks.hpp"
#include "truewatt/identification/known_load.hpp"

namespace truewatt::identification::burtscher {

using Readings = std::span<const energy::Tick>;

/// Below this many readings of a load the paper expects errors above 5 % (paper 001, section 4.3).
inline constexpr std::size_t kFewestReadings = 10;

/// The readings of a source that are new data (paper 001, section 5, step 2), seconds after
/// `origin`: every change, and a value that stood for longer once more at every `update_period`.
/// The paper polls as fast as it can and takes equal values for new data when they are more than
/// 4 ms apart, because a K20's driver answers so late whenever its sensor measures; here it is the
/// update period that tells. Nothing is put where nobody looked.
std::vector<energy::Tick> new_readings(const Trace& trace, HostTime origin, double update_period);

/// P = end_w + (start_w - end_w) exp(-(t - from) / C): a capacitor that is charged or discharged.
struct Capacitor {
  Uncertain constant;       ///< C, s
  double from = 0.0;        ///< s; the first reading of the curve
  double start_w = 0.0;     ///< there
  double end_w = 0.0;       ///< what it tends to
  double difference_w = 0;  ///< mean distance of the readings from the curve
};

/// The curve with the least sum of absolute differences from the readings of one step (paper 001,
/// section 5). Where the step began does not matter: any later part of the curve has the same C.
/// The standard uncertainty holds the scatter of these readings, as strongly as neighbours share
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
StepAnswer answer_to_step(Readings readings, const Work& load, double update_period);

/// P_true of paper 001, section 5: P_meas + C dP/dt, the slope taken between the neighbours; as
/// measured at both ends. C = 0 leaves the readings as they are.
std::vector<energy::Tick> corrected(Readings readings, double constant);

/// The part of readings in order with `from` <= time < `until`.
Readings within(Readings readings, double from, double until);

}  // namespace truewatt::identification::burtscher
