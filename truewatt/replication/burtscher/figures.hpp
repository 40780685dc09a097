#pragma once

#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/characterize/figures.hpp"

namespace truewatt::replication {

/// A reading and the true power that Burtscher 2014 computes of it (Fig. 7).
struct CorrectedReading {
  double t_s = 0.0;
  double reading_w = 0.0;
  double corrected_w = 0.0;
};

/// From one change of a source's reading to the next (Burtscher 2014, Fig. 4).
struct UpdateInterval {
  double t_s = 0.0;  ///< of the change that ends it
  double length_s = 0.0;
};

/// Everything to draw of one source by Burtscher 2014; times since the load began.
struct PowerProfileFigures {
  SourceId source;
  std::vector<CorrectedReading> readings;
  std::vector<UpdateInterval> intervals;
  characterize::LoadStretch load;
  std::vector<double> phases;  ///< those of t1 to t4 that were seen
};

}  // namespace truewatt::replication
