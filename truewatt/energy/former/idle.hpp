#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "truewatt/base/interval.hpp"

namespace truewatt::energy {

/// Many stretches that are kept as one (padded_stream.hpp).
struct Condensed {
  double unobserved_j2 = 0.0;  ///< variance of what was not looked at within them
  double last_w = 0.0;         ///< power of the last of them
  double most_w = 0.0;         ///< highest power of them
  std::size_t stretches = 0;
};

/// Mean power over one stretch between two ticks.
struct Stretch {
  double begin = 0.0;  ///< s
  double end = 0.0;    ///< s
  double power = 0.0;  ///< W
  std::optional<Condensed> of = std::nullopt;

  double highest_w() const { return of ? of->most_w : power; }

  /// The next reading is the same number: what it was rounded by is the same too, as far as anybody
  /// can know.
  bool repeated_by(const Stretch& next) const { return !of && !next.of && next.power == power; }
};

/// Steady idle beside a window: which stretches, and their mean power.
struct Idle {
  std::size_t first = 0;  ///< index of the first stretch used
  std::size_t count = 0;
  Uncertain power_w;
};

/// What a load says of the idle after it, W.
struct IdleBounds {
  double ceiling = std::numeric_limits<double>::infinity();  ///< idle lies below
  double drift = 0.0;  ///< so much change from one half to the other is steady enough ...
  double ramp = std::numeric_limits<double>::infinity();  ///< ... and so much is not, by no chance
};

/// Finds the steady run of stretches that lies nearest to the window's edge. `stretches` are given
/// from the edge outwards, in either direction of time. A run is steady when the means of its near
/// and far half agree within four standard uncertainties. Their scatter comes from second
/// differences, in which a trend does not show, and is at least `reading_sd`, the standard
/// deviation that one stretch has for known reasons (quantum, tick). Of stretches that repeat one
/// another it does not average out.
///
/// After a window unsteady stretches are skipped: a sensor's lag and the steps of active idle pass.
/// What draws more than the ceiling is not idle, however steady: a late sensor still shows the
/// load. Nothing when no run is steady.
std::optional<Idle> steady_idle_after(std::span<const Stretch> stretches, double reading_sd,
                                      const IdleBounds& bounds = {});

/// Before a window what counts is the power at its edge, so the run begins there. Where even the
/// nearest stretches are not steady (a board that still wakes up), they are taken with half their
/// range as uncertainty. Nothing below kFewestEver stretches.
std::optional<Idle> steady_idle_before(std::span<const Stretch> stretches, double reading_sd);

/// A run has at least this many stretches, or kFewestEver where no more were recorded.
inline constexpr std::size_t kFewestStretches = 5;
inline constexpr std::size_t kFewestEver = 3;

}  // namespace truewatt::energy
