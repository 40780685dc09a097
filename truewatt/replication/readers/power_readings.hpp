#pragma once

#include <span>
#include <vector>

#include "truewatt/ticks/ticks.hpp"
#include "truewatt/trace/trace.hpp"

// Burtscher 2014's readings, correction and integral (Burtscher, Zecena, Zong 2014, section 5).
// Pure functions on an axis of seconds.
namespace truewatt::replication {

using Readings = std::span<const ticks::Tick>;

/// The readings of a source that are new data (Burtscher 2014, section 5, step 2), seconds after
/// `origin`: every change, and a value that stood for longer once more at every `update_period`.
/// The paper polls as fast as it can and takes equal values for new data when they are more than
/// 4 ms apart, because a K20's driver answers so late whenever its sensor measures; here it is the
/// update period that tells. Nothing is put where nobody looked.
std::vector<ticks::Tick> new_readings(const Trace& trace, HostTime origin, double update_period);

/// P_true of Burtscher 2014, section 5: P_meas + C dP/dt, as measured at both ends. C = 0 leaves
/// the readings as they are, as do neighbours between which nobody looked. With one neighbour to
/// each side the slope is the paper's symmetric difference; with more it is that of the
/// least-squares line through all of them (the higher-order slope of section 6.1), whose noise
/// falls as (2 neighbours + 1)^-1.5, and which sees changes within as many readings less sharply.
/// Near the ends as many neighbours as there are on either side.
std::vector<ticks::Tick> corrected(Readings readings, double constant, std::size_t neighbours = 1);

/// The part of readings in order with `from` <= time < `until`.
Readings within(Readings readings, double from, double until);

/// Integral of the readings over [from, until], straight lines between them: what a measurement
/// that takes them as they are counts; nothing where nobody looked. Joules.
double energy_of(Readings readings, double from, double until);

/// What is above a threshold: its joules, and the seconds that this takes.
struct GatedEnergy {
  double joules = 0.0;
  double seconds = 0.0;
};

/// The same over those intervals only in which both readings are above `threshold_w` (Burtscher
/// 2014, section 5, step 4). Of corrected readings that is the energy of the kernel.
GatedEnergy energy_above(Readings readings, double from, double until, double threshold_w);

}  // namespace truewatt::replication
