#pragma once

#include <optional>
#include <vector>

#include "truewatt/ticks/ticks.hpp"

// Which tick of its source's grid each publication is; for this layer's sources only.
namespace truewatt::ticks {

/// Ticks are counted from where the grid is thought to be, which follows each of them by this share
/// where brackets are wide: from tick to tick an interval would be rounded up and the next one not
/// down.
inline constexpr double kFollow = 0.1;
/// Share of a period by which a tick that is known well is off the grid.
inline constexpr double kOffGrid = 0.25;
/// So many ticks in a row may be off the grid of those before and after: a driver that stamps one
/// of its readings late. More are on a grid of their own.
inline constexpr std::size_t kMostStrays = 2;

/// Usual interval between ticks, s: where a search for the period begins.
std::optional<double> usual_interval(const std::vector<Tick>& ticks);

/// Of each tick whether its bracket is no evidence of the grid of `period` seconds: wide, and much
/// wider than the others'.
std::vector<bool> in_wide_brackets(const std::vector<Tick>& ticks, double period);

/// Tick numbers and times of the longest run of ticks whose steps are near multiples of `period`,
/// less the few that stray from it.
struct Numbered {
  std::vector<double> number;
  std::vector<double> time;
  friend bool operator==(const Numbered&, const Numbered&) = default;
};

/// Numbers the ticks by a grid of `period` seconds.
Numbered number_ticks(const std::vector<Tick>& ticks, double period);

}  // namespace truewatt::ticks
