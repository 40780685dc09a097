#pragma once

#include <optional>

#include "truewatt/energy/former/chosen_sources.hpp"
#include "truewatt/energy/former/joint_problem.hpp"
#include "truewatt/energy/results/knowledge.hpp"

namespace truewatt::energy {

/// One energy from many sizes of the random part.
struct Averaged {
  double energy_j = 0.0;
  double variance = 0.0;
  RandomPart likeliest;
  double log_likelihood = 0.0;  ///< with it
};

/// The joint problem of a window, solved.
struct JointEstimate {
  HostTime origin;  ///< time 0 of the problem
  JointProblem problem;
  Averaged averaged;
  std::vector<SourceView> beside;  ///< sources that only have to agree
  double hidden_j = 0.0;           ///< standard uncertainty for a load that is seen to be in step
};

/// Chooses the sources of a window, learns how high the work is, and averages over the random
/// part's sizes by likelihood (docs/method.md, section 5). Nothing where no source is described, or
/// where readings are too few. Pure.
std::optional<JointEstimate> joint_estimate(const Recording& recording, const Window& window,
                                            const Knowledge& knowledge,
                                            const std::optional<SourceId>& only);

}  // namespace truewatt::energy
