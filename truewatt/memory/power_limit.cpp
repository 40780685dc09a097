#include "truewatt/memory/power_limit.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::memory {
namespace {

using microbenchmark::Point;

/// The smallest share that a loop is tried on which meets a limit: one or two multiprocessors.
constexpr double kFewestShare = 1.0 / 128;
/// ... whose clock is lowered no further than the spinning loop's: heat, not what it draws.
constexpr double kFewestAlike = 1.0 / 8;
/// Of the multiprocessors, at most the first part is tried next, or what the lowered clock lets
/// expect: less than that, since voltage falls with it.
constexpr double kFewer = 0.5;
constexpr double kBelowLimit = 0.8;

bool is_slower(const Observations& seen, const Point& point) {
  return seen.baselines.is_of_another_clock(point) && seen.baselines.clock_share(point) < 1.0;
}

/// What to try where a limit lowered the clock on this share: a power of a half, since each share
/// has a spin of its own.
double fewer_than(const Observations& seen, std::size_t loop, double share) {
  double part = kFewer;
  for (const Point& point : seen.points[loop]) {
    if (point.of.share > share) continue;
    part = std::min(part, kBelowLimit * seen.baselines.clock_share(point));
  }
  return std::max(kFewestShare, std::exp2(std::floor(std::log2(part * share))));
}

}  // namespace

bool is_limited(const Observations& seen, const Point& point) {
  return point.limited || is_slower(seen, point);
}

std::vector<double> shares_for(const Observations& seen, std::size_t loop) {
  double free = 0.0;
  double fewest = 1.0;
  for (const Point& point : seen.points[loop]) {
    if (!is_limited(seen, point)) free = std::max(free, point.of.share);
    fewest = std::min(fewest, point.of.share);
  }
  if (seen.points[loop].empty() || free >= kUsualShares.back()) {
    return {kUsualShares.begin(), kUsualShares.end()};
  }
  const double most = free > 0 ? free : fewer_than(seen, loop, fewest);
  return {most, std::max(kFewestShare, most / 2)};
}

bool needs_fewer(const Observations& seen, std::size_t loop) {
  const auto& points = seen.points[loop];
  return !points.empty() && std::all_of(points.begin(), points.end(), [&](const Point& point) {
    const double fewest = is_slower(seen, point) ? kFewestShare : kFewestAlike;
    return is_limited(seen, point) && point.of.share > fewest;
  });
}

}  // namespace truewatt::memory
