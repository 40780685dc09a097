#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/energy/results/baseline.hpp"
#include "truewatt/energy/results/reader.hpp"
#include "truewatt/model/metered_boards.hpp"

namespace truewatt::energy {

struct EstimateOptions {
  /// Use this source alone; absent: the best one there is.
  std::optional<SourceId> source;
  /// Resolved means: 95 % half-width, without the gain's term, at most this share of the energy.
  double resolve = 0.05;
  /// Gain and offset of a source that nobody held against a meter, type B. The offset cancels in
  /// net energy; in the budget both are one term, "gain".
  catalogue::BoardPrior board = catalogue::board_prior();
  BaselineRule baseline;        ///< which idle net energy counts from
  std::vector<Reader> readers;  ///< what these make of the same readings is added
};

}  // namespace truewatt::energy
