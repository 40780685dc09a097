#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/ticks.hpp"

// Which tick of its source's grid each publication is; for this layer's sources only.
namespace truewatt::energy {

/// Ticks are counted from where the grid is thought to be, which follows each of them by this share
/// where brackets are wide: from tick to tick an interval would be rounded up and the next one not
/// down.
inline constexpr double kFollow = 0.1;

/// Usual interval between ticks, s: where a search for the period begins.
std::optional<double> usual_interval(const std::vector<Tick>& ticks);

/// Tick numbers and times of the longest run of ticks whose steps are near multiples of `period`,
/// less the few that stray from it.
struct Numbered {
  std::vector<double> number;
  std::vector<double> time;
};

/// Numbers the ticks by a grid of `period` seconds.
Numbered number_ticks(const std::vector<Tick>& ticks, double period);

}  // namespace truewatt::energy
