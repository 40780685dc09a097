#pragma once

#include <map>
#include <optional>
#include <vector>

#include "truewatt/instructions/plan.hpp"
#include "truewatt/instructions/row_energy.hpp"

namespace truewatt::instructions {

/// A row and what was seen of it.
struct MeasuredRow {
  PlannedRow planned;
  std::vector<Point> points;
  double share = 1.0;          ///< of the multiprocessors that it runs on
  std::vector<unsigned> next;  ///< counts of the next round
  Slopes slopes;               ///< of all that a copy runs
  Slopes own;                  ///< without its partner
};

/// All that was seen of one device: its rows, and the kernels that run beside them.
struct Observations {
  std::vector<MeasuredRow> rows;
  std::map<kernels::Optimization, std::vector<Point>> empty;  ///< of the empty loops
  std::map<double, std::vector<uncertainty::Budget>> spin_w;  ///< above idle, by share
  std::optional<double> spin_clock_hz;                        ///< on all multiprocessors
  std::vector<uncertainty::Budget> idle_w;                    ///< by recording
  std::vector<double> idle_changes_w;                         ///< by recording
};

}  // namespace truewatt::instructions
