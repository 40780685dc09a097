#pragma once

#include <vector>

#include "truewatt/trace/trace.hpp"

/// Values of the figures that an estimate is drawn with. Times in seconds, powers in watts.
namespace truewatt::energy {

/// The power as the joint estimate has it, at points of time.
struct ReconstructedPower {
  std::vector<double> t_s;        ///< after the origin that was asked for, ascending
  std::vector<double> power_w;    ///< by the gain of the first source
  std::vector<double> sd_w;       ///< standard uncertainty of each, without the gain's
  std::vector<SourceId> sources;  ///< whose readings it rests on
};

/// When work ran before the readings of a source, and when these look (docs/method.md, section 6).
/// Bins of equal length over one update period: the first ends with the reading.
struct PhaseHistogram {
  SourceId source;
  double update_period_s = 0.0;
  std::size_t readings = 0;   ///< updates within the load
  std::vector<double> work;   ///< share of the updates at which work ran so long before
  std::vector<double> looks;  ///< how much of a reading is from then, 1 in the mean
  double ran = 0.0;           ///< share of the time: mean of `work`
  double seen = 0.0;          ///< the same as the readings see it: mean of work times looks
};

}  // namespace truewatt::energy
