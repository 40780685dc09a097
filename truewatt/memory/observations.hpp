#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/memory/level_fit.hpp"
#include "truewatt/memory/plan.hpp"
#include "truewatt/microbenchmark/baselines.hpp"

namespace truewatt::memory {

/// All that was seen of one device: its rows and loops, what each loop's stretches took, and what
/// all stand on.
struct Observations {
  Sizes sizes;
  Plan plan;
  std::vector<std::vector<microbenchmark::Point>> points;  ///< by loop of the plan
  std::vector<microbenchmark::Point>
      others;  ///< chains or products; `of.row` counts behind the loops
  microbenchmark::Baselines baselines;
  std::optional<LevelFit> fit;
  std::string fit_failure;  ///< why there is none
};

}  // namespace truewatt::memory
