#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/former/source_view.hpp"
#include "truewatt/energy/results/knowledge.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// The sources that are used, and those that only have to agree.
struct ChosenSources {
  std::vector<SourceView> used;
  std::vector<SourceView> beside;
  double hidden_j = 0.0;  ///< standard uncertainty for a load that is seen to be in step
};

/// Sources that a profile describes and nothing spoiled, the one that is believed first; where
/// nobody knows what ran, those that look all the time, if there are any. `only`: no other. Times
/// are seconds after `origin`.
ChosenSources choose_sources(const Recording& recording, const Window& window,
                             const Knowledge& knowledge, HostTime origin,
                             const std::optional<SourceId>& only);

}  // namespace truewatt::energy
