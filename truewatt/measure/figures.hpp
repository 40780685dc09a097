#pragma once

#include <optional>
#include <vector>

#include "truewatt/base/time.hpp"
#include "truewatt/energy/results/figures.hpp"

namespace truewatt::measure {

/// A source's readings, and the power that Burtscher 2014's formula makes of them (Fig. 7).
struct CorrectedPower {
  SourceId source;
  std::vector<double> t_s;
  std::vector<double> reading_w;
  std::vector<double> corrected_w;
};

/// What is drawn of one device's estimates beside the readings.
struct EstimateFigures {
  HostTime origin;  ///< time 0 of all of them: the first window's begin
  /// By estimate; absent where it is no joint one.
  std::vector<std::optional<energy::ReconstructedPower>> powers;
  std::vector<CorrectedPower> corrected;  ///< of sources that lag by several of their updates
  std::vector<energy::PhaseHistogram> phases;
};

}  // namespace truewatt::measure
