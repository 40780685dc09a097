#include "truewatt/instructions/strays.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <span>
#include <utility>

#include "truewatt/instructions/energy_line.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;

/// Points and counts from which a row shows which of them stray.
constexpr std::size_t kFewestPoints = 6;
constexpr std::size_t kFewestLoops = 4;
/// Residuals of all rows that tell how points scatter.
constexpr std::size_t kFewestResiduals = 40;
constexpr double kStraySds = 6.0;
constexpr double kMostOfRow = 0.25;

std::vector<IterationEnergy> energies_of(const std::vector<Point>& points) {
  std::set<unsigned> counts;
  std::vector<IterationEnergy> energies;
  for (const Point& point : points) {
    counts.insert(point.of.copies);
    energies.push_back({static_cast<double>(point.of.copies),
                        (point.energy_j.value() - point.idle_j.value()) / point.iterations});
    if (!(energies.back().joules > 0)) return {};
  }
  if (points.size() < kFewestPoints || counts.size() < kFewestLoops) return {};
  return energies;
}

/// Through the two of them that makes the median of all least (least median of squares; Rousseeuw,
/// J. Am. Stat. Assoc. 79 (1984) 871).
EnergyLine nearest_to_most(const std::vector<IterationEnergy>& energies) {
  EnergyLine best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < energies.size(); ++i) {
    for (std::size_t j = i + 1; j < energies.size(); ++j) {
      const double between = energies[j].copies - energies[i].copies;
      if (between == 0.0) continue;
      const double copy = (energies[j].joules - energies[i].joules) / between;
      const EnergyLine line{energies[i].joules - copy * energies[i].copies, copy};
      std::vector<double> sizes;
      for (const IterationEnergy& one : energies) sizes.push_back(std::abs(line.off(one)));
      const double middle = numerics::median(std::move(sizes)).value_or(0.0);
      if (!(middle < least)) continue;
      least = middle;
      best = line;
    }
  }
  return best;
}

/// Shares by which energies are off the line through those that may not stray.
std::vector<double> residuals_of(const std::vector<IterationEnergy>& energies) {
  const EnergyLine first = nearest_to_most(energies);
  std::vector<IterationEnergy> nearest = energies;
  std::sort(nearest.begin(), nearest.end(),
            [&](const IterationEnergy& a, const IterationEnergy& b) {
              return std::abs(first.off(a)) < std::abs(first.off(b));
            });
  const auto strays = static_cast<std::size_t>(kMostOfRow * static_cast<double>(nearest.size()));
  LineOfShares most;
  for (const IterationEnergy& one : std::span(nearest).first(nearest.size() - strays))
    most.add(one);
  const EnergyLine line = most.line().value_or(first);
  std::vector<double> left;
  for (const IterationEnergy& one : energies) left.push_back(line.off(one));
  return left;
}

void take_out(std::vector<Point>& points, const std::vector<double>& left, double limit) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (std::abs(left[i]) > limit) order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return std::abs(left[a]) > std::abs(left[b]); });
  const auto most = static_cast<std::size_t>(kMostOfRow * static_cast<double>(points.size()));
  if (order.size() > most) order.resize(most);
  std::sort(order.rbegin(), order.rend());
  for (const std::size_t i : order) points.erase(points.begin() + static_cast<std::ptrdiff_t>(i));
}

}  // namespace

void take_out_strays(std::vector<std::vector<Point>>& rows) {
  std::vector<std::vector<double>> left;
  std::vector<double> sizes;
  for (const auto& points : rows) {
    const std::vector<IterationEnergy> energies = energies_of(points);
    left.push_back(energies.empty() ? std::vector<double>() : residuals_of(energies));
    for (const double one : left.back()) sizes.push_back(std::abs(one));
  }
  if (sizes.size() < kFewestResiduals) return;
  constexpr double kSdOfMedian = 1.4826;
  const double limit = kStraySds * kSdOfMedian * numerics::median(std::move(sizes)).value_or(0.0);
  for (std::size_t row = 0; row < rows.size(); ++row) take_out(rows[row], left[row], limit);
}

}  // namespace truewatt::instructions
