#include "truewatt/report/page/chart_data.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/trace/condense.hpp"

namespace truewatt::report {
namespace {

double time_of(const Sample& sample, const ChartAxis& axis, bool use_stamp) {
  const auto stamped =
      use_stamp && sample.stamp ? axis.alignment.to_host(*sample.stamp) : std::optional<HostTime>();
  return seconds_between(axis.origin, stamped.value_or(sample.seen));
}

bool earlier(const ChartPoint& a, const ChartPoint& b) { return a.t_s < b.t_s; }

std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::vector<ChartPoint> readings_of(const Trace& trace, const ChartAxis& axis) {
  std::vector<ChartPoint> readings;
  const bool use_stamp = comes_in_ring(trace.source);
  for (const Sample& sample : trace.samples) {
    readings.push_back({time_of(sample, axis, use_stamp), finite(sample.value)});
  }
  for (const CondensedStretch& sums : trace.condensed) {
    const double length = seconds_between(sums.begin, sums.end);
    readings.push_back({seconds_between(axis.origin, sums.begin), finite(sums.held_j / length)});
    readings.push_back({seconds_between(axis.origin, sums.end), finite(sums.last_w)});
  }
  std::stable_sort(readings.begin(), readings.end(), earlier);
  return readings;
}

/// Breaks the line from a failure's begin to its end, where the value that stood then goes on.
void insert_gaps(std::vector<ChartPoint>& points, const Trace& trace, HostTime origin) {
  const std::vector<ChartPoint> readings = points;
  for (const Gap& gap : trace.gaps) {
    if (gap.cause == kNotAsked) continue;  // the next reading is there to join it
    const ChartPoint end{seconds_between(origin, gap.end), std::nullopt};
    const auto after = std::upper_bound(readings.begin(), readings.end(), end, earlier);
    if (after == readings.begin()) continue;
    points.push_back({seconds_between(origin, gap.begin), std::nullopt});
    points.push_back({end.t_s, std::prev(after)->power_w});
  }
  std::stable_sort(points.begin(), points.end(), earlier);
}

std::vector<ChartPoint> held_readings(const Trace& trace, const ChartAxis& axis) {
  std::vector<ChartPoint> points = readings_of(trace, axis);
  if (points.empty()) return points;
  insert_gaps(points, trace, axis.origin);
  const double end = seconds_between(axis.origin, trace.end);
  if (end > points.back().t_s) points.push_back({end, points.back().power_w});
  return points;
}

std::optional<double> mean_power(const ChartPoint& from, const ChartPoint& to) {
  const double elapsed = to.t_s - from.t_s;
  if (!from.power_w || !to.power_w || !(elapsed > 0)) return std::nullopt;
  const double joules = *to.power_w - *from.power_w;  // readings of a counter are joules
  return joules < 0 ? std::nullopt : std::optional(joules / elapsed);
}

/// A stretch is drawn once it is so many times as long as the brackets of its two ticks are wide
/// together: over shorter ones the mean power would show the polling.
constexpr double kLongAgainstBrackets = 10.0;

/// Mean power between ticks that were seen. What the first look finds has been there for nobody
/// knows how long: energy per time since that look would begin the curve with a peak.
std::vector<ChartPoint> counter_power(const Trace& trace, const ChartAxis& axis) {
  std::vector<ChartPoint> ticks;
  Seconds last_bracket{0};
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const Sample& sample = trace.samples[i];
    const Seconds bracket = sample.seen - sample.before;
    const double tick = seconds_between(axis.origin, sample.seen) - bracket.count() / 2;
    const bool first = ticks.empty();
    const double least = kLongAgainstBrackets * (bracket + last_bracket).count() / 2;
    if (!first && tick - ticks.back().t_s < least) continue;
    ticks.push_back({tick, finite(sample.value)});
    last_bracket = bracket;
  }
  std::vector<ChartPoint> points;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    points.push_back({ticks[i - 1].t_s, mean_power(ticks[i - 1], ticks[i])});
  }
  if (!points.empty()) points.push_back({ticks.back().t_s, points.back().power_w});
  return points;
}

std::string role_of_curve(const Curve& curve) {
  if (curve.name.find("true") != std::string::npos) return "truth";
  return curve.name.find("meter") != std::string::npos ? "meter" : "curve";
}

/// The lowest and highest point of a stretch and whether the line breaks inside it.
class Stretch {
 public:
  void add(const ChartPoint& point) {
    if (!point.power_w) {
      break_ = point;
      return;
    }
    if (!lowest_ || *point.power_w < *lowest_->power_w) lowest_ = point;
    if (!highest_ || *point.power_w > *highest_->power_w) highest_ = point;
  }
  void move_to(std::vector<ChartPoint>& points) {
    const auto begin = static_cast<std::ptrdiff_t>(points.size());
    if (lowest_ && lowest_->t_s == highest_->t_s) highest_.reset();
    for (const auto* point : {&lowest_, &highest_, &break_}) {
      if (*point) points.push_back(**point);
    }
    std::stable_sort(points.begin() + begin, points.end(), earlier);
    *this = Stretch();
  }

 private:
  std::optional<ChartPoint> lowest_;
  std::optional<ChartPoint> highest_;
  std::optional<ChartPoint> break_;
};

}  // namespace

std::string role_of(SourceKind kind) { return std::string(row_of(kind).role); }

ChartSeries series_of(const Trace& trace, const ChartAxis& axis) {
  ChartSeries series{
      to_string(trace.source), role_of(trace.source.kind), true, samples_of(trace), {}};
  series.points =
      counts_energy(trace.source) ? counter_power(trace, axis) : held_readings(trace, axis);
  return series;
}

ChartSeries series_of(const Curve& curve) {
  ChartSeries series{curve.name, role_of_curve(curve), false, curve.points.size(), {}};
  for (const CurvePoint& point : curve.points) {
    series.points.push_back({point.t_s, finite(point.power_w)});
  }
  return series;
}

std::vector<ChartPoint> decimated(const std::vector<ChartPoint>& points, std::size_t limit) {
  if (points.size() <= limit || limit < 4) return points;
  const double begin = points.front().t_s;
  const double length = points.back().t_s - begin;
  const std::size_t count = limit / 2 - 1;  // two points each, and the ends
  const auto stretches = static_cast<double>(count);
  const auto index_of = [=](double t_s) {
    return length > 0 ? std::floor((t_s - begin) / length * stretches) : 0.0;
  };
  std::vector<ChartPoint> kept = {points.front()};
  Stretch stretch;
  double index = 0.0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    if (index_of(points[i].t_s) != index) stretch.move_to(kept);
    index = index_of(points[i].t_s);
    stretch.add(points[i]);
  }
  stretch.move_to(kept);
  kept.push_back(points.back());
  return kept;
}

}  // namespace truewatt::report
