#include "truewatt/instructions/strays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;

/// Points and counts from which a row shows which of them stray.
constexpr std::size_t kFewestPoints = 6;
constexpr std::size_t kFewestLoops = 4;
/// A clock's step is 0.76 %; times that differ by so many robust standard deviations of their row
/// are not on a line anyway.
constexpr double kFaster = 0.008;
constexpr double kStraySds = 4.0;
constexpr double kMostOfRow = 0.25;
/// Lines through two points that are tried.
constexpr std::size_t kMostLines = 600;

struct IterationTime {
  double copies = 0.0;
  double seconds = 0.0;
};

std::vector<IterationTime> times_of(const std::vector<Point>& points) {
  std::set<unsigned> counts;
  std::vector<IterationTime> times;
  for (const Point& point : points) {
    if (!(point.iterations > 0)) return {};
    counts.insert(point.of.copies);
    times.push_back(
        {static_cast<double>(point.of.copies), point.length.count() / point.iterations});
  }
  if (points.size() < kFewestPoints || counts.size() < kFewestLoops) return {};
  return times;
}

/// How far times are off, as shares, and how far most are.
struct Residuals {
  std::vector<double> off;
  double middle = std::numeric_limits<double>::infinity();
};

Residuals residuals_of(const std::vector<IterationTime>& times, double loop_s, double copy_s) {
  Residuals residuals;
  std::vector<double> sizes;
  for (const IterationTime& one : times) {
    residuals.off.push_back(one.seconds / (loop_s + copy_s * one.copies) - 1);
    sizes.push_back(std::abs(residuals.off.back()));
  }
  residuals.middle = numerics::median(std::move(sizes)).value_or(0.0);
  return residuals;
}

/// From the line through two of them that makes the median of all least (least median of squares;
/// Rousseeuw, J. Am. Stat. Assoc. 79 (1984) 871).
Residuals nearest_to_most(const std::vector<IterationTime>& times) {
  Residuals best;
  const std::size_t pairs = times.size() * (times.size() - 1) / 2;
  const std::size_t every = 1 + pairs / kMostLines;
  std::size_t pair = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      const double between = times[j].copies - times[i].copies;
      if (between == 0.0 || pair++ % every != 0) continue;
      const double copy_s = (times[j].seconds - times[i].seconds) / between;
      Residuals found = residuals_of(times, times[i].seconds - copy_s * times[i].copies, copy_s);
      if (found.middle < best.middle) best = std::move(found);
    }
  }
  return best;
}

void take_out(std::vector<Point>& points, const Residuals& residuals) {
  constexpr double kSdOfMedian = 1.4826;
  // For few points (Rousseeuw, Leroy 1987).
  const double few = 1 + 5 / (static_cast<double>(points.size()) - 2);
  const double limit = std::max(kFaster, kStraySds * kSdOfMedian * few * residuals.middle);
  std::vector<std::size_t> fast;
  for (std::size_t i = 0; i < residuals.off.size(); ++i) {
    if (residuals.off[i] < -limit) fast.push_back(i);
  }
  std::sort(fast.begin(), fast.end(),
            [&](std::size_t a, std::size_t b) { return residuals.off[a] < residuals.off[b]; });
  const auto most = static_cast<std::size_t>(kMostOfRow * static_cast<double>(points.size()));
  if (fast.size() > most) fast.resize(most);
  std::sort(fast.rbegin(), fast.rend());
  for (const std::size_t i : fast) points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

void take_out_strays(std::vector<std::vector<Point>>& rows) {
  for (auto& points : rows) {
    const std::vector<IterationTime> times = times_of(points);
    if (!times.empty()) take_out(points, nearest_to_most(times));
  }
}

}  // namespace truewatt::instructions
