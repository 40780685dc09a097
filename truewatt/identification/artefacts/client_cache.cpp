#include "truewatt/identification/artefacts/client_cache.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::identification {
namespace {

/// Intervals further from the usual one than this share missed a refresh.
constexpr double kUsualShare = 0.3;
constexpr std::size_t kFewestIntervals = 30;
/// Neighbouring intervals between ticks of a grid have a correlation of -0.5, those between
/// refreshes none, or less than that where some are seen late. So many standard deviations above
/// the grid's it is none.
constexpr double kGridCorrelation = -0.5;
constexpr double kNotGrid = 5.0;
constexpr double kSurelyNotGrid = -0.25;
/// Share of the intervals whose bounds must hold the cache's length; a refresh that shows the same
/// value again is seen a poll late. Ticks that walk by more than a poll agree on no length.
constexpr double kAgreeing = 0.6;
/// Standard uncertainty of a refresh's time: a fast call.
constexpr double kRefreshSd = 1e-4;  // s

/// One interval between refreshes and what it says of the cache.
struct Bounds {
  double lower = 0.0;  ///< the poll before it found the cache still fresh
  double upper = 0.0;  ///< the call that refreshed it began and found it stale
  double length = 0.0;
};

std::vector<Bounds> bounds_of(const Trace& trace, double period) {
  std::vector<Bounds> bounds;
  for (std::size_t i = 2; i < trace.samples.size(); ++i) {
    const Sample& last = trace.samples[i - 1];
    const Sample& next = trace.samples[i];
    const double interval = seconds_between(last.seen, next.seen);
    if (std::abs(interval - period) > kUsualShare * period) continue;
    const double call = next.call ? Seconds(*next.call).count() : 0.0;
    bounds.push_back({seconds_between(last.seen, next.before), interval - call, interval});
  }
  return bounds;
}

/// Correlation of neighbouring intervals; exceptions (a stall) count no more than three usual
/// deviations.
double neighbour_correlation(const std::vector<Bounds>& bounds) {
  std::vector<double> lengths;
  for (const Bounds& bound : bounds) lengths.push_back(bound.length);
  const double middle = *numerics::median(lengths);
  const double most = 3 * numerics::robust_sd(lengths).value_or(0.0);
  double squares = 0.0;
  double products = 0.0;
  double previous = 0.0;
  for (const double length : lengths) {
    const double away = std::clamp(length - middle, -most, most);
    squares += away * away;
    products += away * previous;
    previous = away;
  }
  return squares > 0 ? products / squares : 0.0;
}

/// The cache's length that agrees with most of the bounds, and their number.
struct Agreement {
  double lower = 0.0;
  double upper = 0.0;
  std::size_t agree = 0;
};

Agreement most_agreed(const std::vector<Bounds>& bounds) {
  std::vector<std::pair<double, int>> edges;
  for (const Bounds& bound : bounds) {
    edges.emplace_back(bound.lower, -1);  // begins sort before ends at the same length
    edges.emplace_back(bound.upper, 1);
  }
  std::sort(edges.begin(), edges.end());
  Agreement best;
  std::size_t open = 0;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    open = edges[i].second < 0 ? open + 1 : open - 1;
    if (open > best.agree) best = {edges[i].first, edges[i + 1].first, open};
  }
  return best;
}

/// True when the calls that showed a new reading took several times as long as the calls before
/// them, which ended before they began, can have: they fetched it. Calls to a source that is slow
/// to answer take as long without anything new.
bool are_fetched(const Trace& trace) {
  constexpr double kLonger = 3.0;
  std::vector<double> calls;
  std::vector<double> others;
  for (const Sample& sample : trace.samples) {
    if (!sample.call) continue;
    const double call = Seconds(*sample.call).count();
    calls.push_back(call);
    others.push_back(seconds_between(sample.before, sample.seen) - call);
  }
  return calls.size() >= kFewestIntervals &&
         *numerics::median(calls) > kLonger * *numerics::median(others);
}

/// True when one regular grid passes through nearly every bracket: what polls refresh wanders off
/// any grid by what they were late, and brackets too wide to show that prove nothing.
bool stands_on_grid(const Trace& trace, double period) {
  constexpr double kNearlyEvery = 0.95;
  const HostTime origin = trace.samples.front().seen;
  std::vector<ticks::Tick> ticks;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const double before = seconds_between(origin, trace.samples[i].before);
    const double seen = seconds_between(origin, trace.samples[i].seen);
    ticks.push_back({(before + seen) / 2, (seen - before) / 2, 0.0});
  }
  const std::vector<ticks::Tick> grid = ticks::on_grid(ticks, period);
  std::size_t held = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    held += std::abs(grid[i].time - ticks[i].time) <= ticks[i].time_sd ? 1 : 0;
  }
  return static_cast<double>(held) >= kNearlyEvery * static_cast<double>(ticks.size());
}

}  // namespace

std::optional<Interval> client_cache_period(const Trace& trace, double period) {
  const std::vector<Bounds> bounds = bounds_of(trace, period);
  if (bounds.size() < kFewestIntervals) return std::nullopt;
  const Agreement agreed = most_agreed(bounds);
  const double share = static_cast<double>(agreed.agree) / static_cast<double>(bounds.size());
  const double sd = 1.0 / std::sqrt(static_cast<double>(bounds.size()));
  const double least = std::min(kGridCorrelation + kNotGrid * sd, kSurelyNotGrid);
  if (share < kAgreeing || neighbour_correlation(bounds) < least) return std::nullopt;
  if (!are_fetched(trace) && stands_on_grid(trace, period)) return std::nullopt;
  return Interval{(agreed.lower + agreed.upper) / 2, agreed.lower, agreed.upper, 0.95};
}

std::vector<ticks::Tick> refreshes(const Trace& trace, HostTime origin) {
  std::vector<ticks::Tick> readings;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    const Sample& sample = trace.samples[i];
    readings.push_back({seconds_between(origin, sample.seen), kRefreshSd, sample.value});
  }
  return readings;
}

}  // namespace truewatt::identification
