#pragma once

#include <memory>
#include <span>

#include "truewatt/energy/results/estimate_options.hpp"
#include "truewatt/energy/results/figures.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/energy/results/results.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// Energies of any windows of one device's recording, all from one course of its power: what a
/// window takes is the integral of the course over it, so that parts sum to the whole. `marks` are
/// windows whose edges somebody set where work begins and ends: a hint, which readings may refuse;
/// what is asked later is none. Known work (Recording::activity) is one level of power a kind.
/// Nothing fails: an estimate without a number carries its reasons. The recording and the profiles
/// of the knowledge must outlive it. Pure; any thread.
class EnergyEstimator {
 public:
  EnergyEstimator(const Recording& recording, const Knowledge& knowledge,
                  const EstimateOptions& options, std::span<const Window> marks);
  ~EnergyEstimator();
  EnergyEstimator(EnergyEstimator&&) noexcept;
  EnergyEstimator& operator=(EnergyEstimator&&) noexcept;

  /// Gross and net energy of a window with their budget.
  EnergyEstimate estimate(const Window& window) const;
  /// The sum of several windows' energies, what they err by alike and differently; nothing where
  /// one of them has none.
  std::optional<EnergyInterval> sum(std::span<const Window> windows) const;
  /// The power in the window and a second beside it, seconds after `origin`.
  std::optional<ReconstructedPower> power(const Window& window, HostTime origin,
                                          std::size_t points = 1000) const;
  /// How often readings were smoothed for it, all of them or a source's alone.
  int passes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Energy of one window, whose edges are marks.
EnergyEstimate estimate_energy(const Recording& recording, const Window& window,
                               const Knowledge& knowledge = {},
                               const EstimateOptions& options = {});

}  // namespace truewatt::energy
