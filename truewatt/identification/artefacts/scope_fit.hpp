#pragma once

#include <optional>
#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"
#include "truewatt/base/units.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {

/// One reading of a source and how much of each kind of work it saw by the source's own observation
/// model: 0 none, 1 full work for as long as it looks (docs/method.md, eq. 22).
struct ScopeReading {
  double time = 0.0;     ///< s
  double value = 0.0;    ///< W
  double by_cpu = 0.0;   ///< CPU work
  double by_gpu = 0.0;   ///< GPU work, with the board's rise and overshoot
  double by_both = 0.0;  ///< both at once
};

/// What one source answers to full work, in W of the source.
struct ScopeFit {
  Uncertain idle;    ///< at the first reading
  Uncertain cpu;     ///< to CPU work alone
  Uncertain gpu;     ///< to GPU work alone
  Uncertain excess;  ///< to both at once, beyond the sum; below 0 where they share a limit
};

/// Least squares of y = idle + drift t + a_cpu u_cpu + a_gpu u_gpu + a_both u_both. Readings whose
/// windows overlap share their errors: what one shares with the next is estimated from the
/// residuals and taken out (Prais, Winsten 1954), and the covariance is HC3's of what is left,
/// widened by Student's t of the independent readings. Errors: insufficient_data below 20 readings,
/// ill_conditioned when one kind of work was not seen alone.
Result<ScopeFit> fit_scopes(std::span<const ScopeReading> readings);

/// Share of the publications of two sources that are the same value at the same time, 0 to 1: the
/// sources are one under two names when it is above 0.9 (SC'24 artifact, `power.draw`). Nothing
/// where either changed fewer than 20 times.
std::optional<double> identical_share(std::span<const ticks::Tick> a,
                                      std::span<const ticks::Tick> b, Seconds update_period);
inline constexpr double kAliasShare = 0.9;

}  // namespace truewatt::identification
