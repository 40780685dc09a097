#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {

/// Mean power over one stretch between two ticks.
struct Stretch {
  double begin = 0.0;  ///< s
  double end = 0.0;    ///< s
  double power = 0.0;  ///< W
};

/// Steady idle beside a window: which stretches, and their mean power.
struct Idle {
  std::size_t first = 0;  ///< index of the first stretch used
  std::size_t count = 0;
  Uncertain power_w;
};

/// Finds the steady run of stretches that lies nearest to the window's edge. `stretches` are given
/// from the edge outwards, in either direction of time. A run is steady when the means of its near
/// and far half agree within four standard uncertainties. Their scatter comes from second
/// differences, in which a trend does not show, and is at least `reading_sd`, the standard
/// deviation that one stretch has for known reasons (quantum, tick). The lag of a sensor and the
/// steps of active idle make stretches unsteady, which is the point. Nothing when no run is steady.
std::optional<Idle> steady_idle(std::span<const Stretch> stretches, double reading_sd);

/// A run has at least this many stretches, or kFewestEver where no more were recorded.
inline constexpr std::size_t kFewestStretches = 5;
inline constexpr std::size_t kFewestEver = 3;

}  // namespace truewatt::energy
