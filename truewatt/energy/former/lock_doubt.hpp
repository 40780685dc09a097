#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// Whether the load may have run in step with the source that tells its energy, so that the source
/// looked at the same part of it again and again.
struct LockDoubt {
  bool open = false;  ///< nothing excludes it
  double hidden_j =
      0.0;  ///< what the ring's readings show that they may hide, standard uncertainty
};

/// Of `told`, the energy by `source`, whose update period is known where it could be told. What a
/// profile knows, what is known to have run, and other sources that tell the same energy exclude it
/// (docs/method.md, section 6). Pure.
LockDoubt lock_doubt(const Recording& recording, const Window& window, SourceId source,
                     const std::optional<Interval>& period, const Knowledge& knowledge,
                     const PaddedEnergy& told);

}  // namespace truewatt::energy
