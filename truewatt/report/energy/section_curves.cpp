#include "truewatt/report/energy/section_curves.hpp"

#include <algorithm>
#include <set>

namespace truewatt::report {
namespace {

constexpr std::size_t kMostPoints = 4000;     ///< per curve
constexpr std::size_t kPagePoints = 120'000;  ///< 2.3 MB at 19 characters each
constexpr std::size_t kFewestPoints = 200;    ///< still a curve on a phone

void make_unique(std::vector<ChartSeries>& series) {
  std::set<std::string> names = {"t"};  // the time column's name
  for (ChartSeries& one : series) {
    const std::string name = one.name;
    for (int n = 2; !names.insert(one.name).second; ++n) {
      one.name = name + " " + std::to_string(n);
    }
  }
}

}  // namespace

std::vector<ChartSeries> chart_series(const Section& section, std::size_t limit) {
  const ChartAxis axis{section.origin, ClockAlignment(section.recording.clock_pairs)};
  std::vector<ChartSeries> series;
  for (const Trace& trace : section.recording.traces) series.push_back(series_of(trace, axis));
  for (const Curve& curve : section.curves) series.push_back(series_of(curve));
  std::erase_if(series, [](const ChartSeries& one) { return one.points.empty(); });
  for (ChartSeries& one : series) one.points = decimated(one.points, limit);
  make_unique(series);
  return series;
}

std::size_t points_per_series(const Page& page) {
  std::size_t count = 1;
  for (const Section& section : page.sections) {
    count += section.recording.traces.size() + section.curves.size();
  }
  return std::clamp(kPagePoints / count, kFewestPoints, kMostPoints);
}

}  // namespace truewatt::report
