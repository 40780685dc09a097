#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::replication::burtscher {

/// A sudden change of the true power.
struct PowerStep {
  double time = 0.0;    ///< s
  double change_w = 0;  ///< below 0: down
};

/// What Burtscher 2014 reads off its power profiles (Figs 1, 3, 7). Times in seconds on the
/// readings' axis; powers are of the corrected profile. Absent: not seen.
struct Phases {
  std::optional<double> t1;  ///< the power goes up: the kernel starts
  std::optional<double> t2;  ///< it falls: the kernel ends
  std::optional<double> t3;  ///< the first of the stairs down from active idle
  std::optional<double> t4;  ///< the last of them, or where there are none the first idle reading
  double idle_w = 0.0;       ///< before the load
  bool idle_is_steady = true;
  double load_w = 0.0;                  ///< in the later half of it: the asymptote of the readings
  std::optional<double> active_idle_w;  ///< from t2 to t3, or on, where it is above idle
  std::vector<PowerStep> stairs;        ///< from t3 to t4
};

/// The phases of one load that worked at `load`, with five seconds or more of idle before and
/// whatever it takes to be idle after. `constant` is the sensor's capacitor, s; 0: none.
///
/// Steps are sought in the paper's corrected power, averaged over 0.45 s (four updates at least)
/// on either side of every reading: its integral from a to b is that of the readings plus
/// C (P(b) - P(a)), in which the noise that the slope magnifies cancels but at the ends. A step is
/// an extremum of the difference that five standard deviations of the idle before do not reach,
/// nor 0.5 W (what the authors' tool takes for idle). Nothing with too few readings of the idle, or
/// where no step up is seen.
std::optional<Phases> find_phases(std::span<const ticks::Tick> readings, double constant,
                                  const identification::Work& load);

}  // namespace truewatt::replication::burtscher
