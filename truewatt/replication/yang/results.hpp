#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/source.hpp"
#include "truewatt/base/units.hpp"

namespace truewatt::replication {

/// How an energy of one execution was told from several of them.
enum class Telling { as_read, corrected, truewatt };

/// Errors of many trials of so many executions, as shares of the true energy.
struct ConvergencePoint {
  int executions = 0;
  double mean = 0.0;    ///< of the errors
  double spread = 0.0;  ///< their standard deviation
  /// truewatt: mean half-width of the 95 % intervals, without the gain; absent for the others.
  std::optional<double> half_width;
};

struct ConvergenceCurve {
  Telling telling = Telling::as_read;
  int delays = 0;  ///< controlled delays in a trial
  std::vector<ConvergencePoint> points;
};

/// A load that is on for the first half of every execution.
struct ConvergenceLoad {
  Seconds execution{0};
  std::vector<ConvergenceCurve> curves;
  /// Executions that the paper's practice takes for this load (its section V-A), its spread with
  /// them, and how many truewatt takes for the same; absent where none of those tried do.
  int practice_executions = 0;
  std::optional<double> practice_spread;
  std::optional<int> needed;
  /// Executions from which on mean error and 1.96 spreads lie within 1 % of what the source's gain
  /// and offset make of the energy: by the paper's practice, and by truewatt, whose interval is as
  /// narrow, too.
  std::optional<int> practice_within;
  std::optional<int> within;
};

/// One source of the device; what the paper calls a case.
struct ConvergenceCase {
  SourceId source;
  Seconds looks{0};   ///< its averaging window and twice its lag
  Seconds period{0};  ///< its update period
  std::vector<ConvergenceLoad> loads;
};

/// What `validate convergence` found out: Figs. 15 to 17 of Yang 2024 for a simulated device. JSON
/// schema `truewatt.convergence/1`.
struct Convergence {
  std::string tool_version;
  std::string device;
  int trials = 0;  ///< behind every point
  std::vector<ConvergenceCase> cases;
  std::vector<std::string> notes;  ///< which profile was used
  bool interrupted = false;        ///< what had not ended by then is not there
};

}  // namespace truewatt::replication
