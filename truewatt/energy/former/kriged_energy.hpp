#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/former/estimate_energy.hpp"
#include "truewatt/energy/former/padded_energy.hpp"

namespace truewatt::energy {

/// Energy of a window from all sources at once.
struct KrigedEnergy {
  PaddedEnergy energy;            ///< by the gain of the first source
  std::vector<SourceId> sources;  ///< whose readings it rests on
  bool informed = false;          ///< it was known what ran
  /// What a load in step with the sources that were used may hide, as a share of the energy, at
  /// most 1; 0 where it was known what ran.
  double lock_share = 0.0;
  bool sources_disagree = false;  ///< some source alone says something else
  /// Mean square of the first source's standardized innovations, at least 1: 1 where its readings
  /// follow the model.
  double misfit = 1.0;
};

/// Joint estimate of the energy of a window (docs/method.md, section 5, eq. 14a-14f): generalized
/// least squares and best linear prediction over the readings of all sources to which a profile has
/// fitted a model, with the known activity as drift, the profile's errors as nuisances common to
/// all readings, and the random part's size and correlation averaged by likelihood. Nothing where
/// no source is described, or where readings are too few. Pure; any thread.
std::optional<KrigedEnergy> kriged_energy(const Recording& recording, const Window& window,
                                          const Knowledge& knowledge,
                                          const std::optional<SourceId>& only = std::nullopt);

}  // namespace truewatt::energy
