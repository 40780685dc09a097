#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/clock_alignment.hpp"
#include "truewatt/base/time.hpp"
#include "truewatt/report/page/curve.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::report {

/// A point of a drawn curve; without a power the line breaks there.
struct ChartPoint {
  double t_s = 0.0;
  std::optional<double> power_w;
};

/// One curve of a time chart. Steps hold their value until the next point.
struct ChartSeries {
  std::string name;
  std::string role;  ///< what its colour stands for: "power-instant", "truth", "meter", ...
  bool steps = false;
  std::size_t recorded = 0;  ///< points before decimation
  std::vector<ChartPoint> points;
};

/// Where the chart's time 0 lies, and the bridge from the driver's stamps to it.
struct ChartAxis {
  HostTime origin;
  ClockAlignment alignment;
};

/// What a source's colour stands for: `power.instant@module` -> `power-instant`.
std::string role_of(SourceKind kind);

/// A trace as power over time: readings held from the moment they were seen (ring-buffer samples:
/// from their own stamp, where clock pairs allow) until the next one and the end of polling, broken
/// at gaps. An energy counter is drawn as its mean power between ticks that lie far apart against
/// their brackets, broken where it ran backwards.
ChartSeries series_of(const Trace& trace, const ChartAxis& axis);

/// A curve as it is, its points joined by straight lines.
ChartSeries series_of(const Curve& curve);

/// At most about `limit` points: per stretch of time the lowest and the highest one in their order,
/// and every break. Extremes are kept; a step moves by at most one stretch, 2/limit of the whole.
std::vector<ChartPoint> decimated(const std::vector<ChartPoint>& points, std::size_t limit);

}  // namespace truewatt::report
