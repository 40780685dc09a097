#pragma once

#include <optional>
#include <span>
#include <vector>

#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// Readings that a client's cache took from a value that the driver holds for `period` seconds:
/// each moved back to when the driver took it, phase + k * period, seconds.
std::vector<ticks::Tick> taken_at(std::span<const ticks::Tick> readings, double period,
                                  double phase);

/// A client's cache whose refreshes meet a held value now early, now late.
struct HeldFit {
  double phase = 0.0;                 ///< s, of the driver's grid on the readings' axis
  std::vector<ticks::Tick> readings;  ///< at the times when the driver took them
  ObservationFit fit;                 ///< of those; its delay counts from then
};

/// Tests whether the readings behind `plain` come from a value held for `hold_period` seconds: the
/// phase of the driver's grid is one more unknown and must pay by BIC. Refreshes whose phase
/// against the grid does not move leave part of the delay open: its interval then holds every phase
/// that is as likely (profile likelihood). Nothing where the readings do not show a grid. Pure.
std::optional<HeldFit> fit_held(const FitData& data, const ObservationFit& plain,
                                double update_period, double hold_period);

}  // namespace truewatt::identification
