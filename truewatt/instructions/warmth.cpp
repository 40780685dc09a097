#include "truewatt/instructions/warmth.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;
using Column = std::vector<double>;

/// Fewer counts leave nothing beside a line.
constexpr std::size_t kFewestCounts = 4;
/// A standard uncertainty above it is as large as what a board may draw more: nothing is removed.
constexpr double kKnown = 0.01;
/// Fewer residuals do not tell how they scatter.
constexpr double kFewestFree = 20.0;

double dot(const Column& a, const Column& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// What is left of a column beside another one.
Column beside(Column of, const Column& other) {
  const double share = dot(of, other) / dot(other, other);
  for (std::size_t i = 0; i < of.size(); ++i) of[i] -= share * other[i];
  return of;
}

/// Sums over a row, J: of the products of what is left of energies, and of energies times recent
/// powers. In joules, of which points err by about as many: light rows tell little.
struct Left {
  double both = 0.0;
  double squares = 0.0;
  double energies = 0.0;  ///< squares
  double freedom = 0.0;
};

Left left_of(const std::vector<Point>& points) {
  std::set<unsigned> counts;
  for (const Point& point : points) counts.insert(point.of.copies);
  if (counts.size() < kFewestCounts) return {};
  Column loops;
  Column copies;
  Column energies;
  Column recent;
  for (const Point& point : points) {
    const double above_j = point.energy_j.value() - point.idle_j.value();
    if (!(above_j > 0)) return {};
    loops.push_back(point.iterations);
    copies.push_back(point.iterations * point.of.copies);
    energies.push_back(above_j);
    recent.push_back(point.recent_w * above_j);
  }
  const Column slope = beside(copies, loops);
  const auto beside_line = [&](const Column& of) { return beside(beside(of, loops), slope); };
  const Column left = beside_line(energies);
  const Column powers = beside_line(recent);
  return {dot(left, powers), dot(powers, powers), dot(left, left),
          static_cast<double>(points.size()) - 2};
}

}  // namespace

Warmth warmth_of(std::span<const std::vector<Point>> rows) {
  Warmth warmth;
  Left all;
  double count = 0.0;
  for (const auto& points : rows) {
    const Left left = left_of(points);
    all.both += left.both;
    all.squares += left.squares;
    all.energies += left.energies;
    all.freedom += left.freedom;
    for (const Point& point : points) {
      warmth.reference_w += point.recent_w;
      ++count;
    }
  }
  if (count > 0) warmth.reference_w /= count;
  if (all.squares <= 0 || all.freedom < kFewestFree) return warmth;
  const double found = all.both / all.squares;
  const double scatter = std::max(0.0, all.energies - found * all.both) / (all.freedom - 1);
  const bool is_known = std::sqrt(scatter / all.squares) * warmth.reference_w < kKnown;
  if (is_known) warmth.share_per_watt = found;
  return warmth;
}

Point Warmth::removed_from(Point point) const {
  const double more = share_per_watt * (point.recent_w - reference_w);
  const double above_j = point.energy_j.value() - point.idle_j.value();
  point.energy_j = uncertainty::difference(point.energy_j, uncertainty::Budget(more * above_j));
  return point;
}

}  // namespace truewatt::instructions
