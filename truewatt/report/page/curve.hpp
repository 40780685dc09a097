#pragma once

#include <string>
#include <vector>

namespace truewatt::report {

/// A point of a power curve: seconds on the recording's axis, watts.
struct CurvePoint {
  double t_s = 0.0;
  double power_w = 0.0;
};

/// A curve beside the sensors' traces: the simulated truth, or an external meter.
struct Curve {
  std::string name;  ///< "true power", "meter"
  std::vector<CurvePoint> points;
};

}  // namespace truewatt::report
