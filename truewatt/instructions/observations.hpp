#pragma once

#include <map>
#include <optional>
#include <vector>

#include "truewatt/instructions/plan.hpp"
#include "truewatt/instructions/row_energy.hpp"
#include "truewatt/microbenchmark/baselines.hpp"

namespace truewatt::instructions {

/// A row and what was seen of it.
struct MeasuredRow {
  PlannedRow planned;
  std::vector<Point> points;
  double share = 1.0;                 ///< of the multiprocessors that it runs on
  std::vector<unsigned> next;         ///< counts of the next round
  Slopes slopes;                      ///< of all that a copy runs
  Slopes own;                         ///< without its partner
  bool is_of_several_clocks = false;  ///< a limit lowered some stretches' clock, of its partner too
  /// Its partner ran on other multiprocessors: what both take by their time is its own in part.
  bool is_beside_others = false;
  bool is_bent = false;  ///< energies are not on a line over its counts
};

/// All that was seen of one device: its rows, and the kernels that run beside them.
struct Observations {
  std::vector<MeasuredRow> rows;
  std::map<kernels::Optimization, std::vector<Point>> empty;  ///< of the empty loops
  microbenchmark::Baselines baselines;
  std::optional<HostTime> began{};  ///< the first stretch of all
};

}  // namespace truewatt::instructions
