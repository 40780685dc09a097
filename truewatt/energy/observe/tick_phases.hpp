#pragma once

#include <cstddef>
#include <vector>

// Where ticks come; for this layer only.
namespace truewatt::energy {

/// By time of a tick: its number, and where then the grid of them is, s: a tick's time less its
/// number times the period.
struct TickPhases {
  std::vector<double> number;
  std::vector<double> of_grid;
};

/// Readings whose phases a running median is taken of.
inline constexpr std::size_t kPhasesAtOnce = 101;

/// Of times in rising order, s, about a grid of `period` that drifts slowly, without jumps of a
/// period. Behind a hole across which `period_sd`, s, moves it by a tenth of a period it is another
/// grid, with numbers of its own. Pure.
TickPhases tick_phases(const std::vector<double>& times, double period, double period_sd = 0.0);

}  // namespace truewatt::energy
