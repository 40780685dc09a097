#include "truewatt/instructions/warmth.hpp"

#include <Eigen/Dense>
#include <set>

namespace truewatt::instructions {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using microbenchmark::Point;

/// Fewer counts leave nothing beside a line.
constexpr std::size_t kFewestCounts = 4;

/// Sums over a row: of the products of what is left of energies and recent powers, as shares.
struct Left {
  double both = 0.0;
  double squares = 0.0;
};

Left left_of(const std::vector<Point>& points) {
  std::set<unsigned> counts;
  for (const Point& point : points) counts.insert(point.of.copies);
  if (counts.size() < kFewestCounts) return {};
  const auto n = static_cast<Index>(points.size());
  MatrixXd line(n, 2);
  VectorXd recent(n);
  for (Index i = 0; i < n; ++i) {
    const Point& point = points[static_cast<std::size_t>(i)];
    const double above_j = point.energy_j.value() - point.idle_j.value();
    if (!(above_j > 0)) return {};
    line(i, 0) = point.iterations / above_j;
    line(i, 1) = point.iterations * point.of.copies / above_j;
    recent[i] = point.recent_w * point.length.count() / above_j;
  }
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(line.colwise().normalized());
  const MatrixXd scaled = line.colwise().normalized();
  const auto beside = [&](const VectorXd& of) -> VectorXd { return of - scaled * qr.solve(of); };
  const VectorXd energies = beside(VectorXd::Ones(n));
  const VectorXd powers = beside(recent);
  return {energies.dot(powers), powers.squaredNorm()};
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
    for (const Point& point : points) {
      warmth.reference_w += point.recent_w;
      ++count;
    }
  }
  if (count > 0) warmth.reference_w /= count;
  if (all.squares > 0) warmth.watts_per_watt = all.both / all.squares;
  return warmth;
}

Point Warmth::removed_from(Point point) const {
  const double more_w = watts_per_watt * (point.recent_w - reference_w);
  point.energy_j = uncertainty::difference(point.energy_j,
                                           uncertainty::Budget(more_w * point.length.count()));
  return point;
}

}  // namespace truewatt::instructions
