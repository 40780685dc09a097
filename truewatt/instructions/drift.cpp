#include "truewatt/instructions/drift.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "truewatt/instructions/energy_line.hpp"

namespace truewatt::instructions {
namespace {

using microbenchmark::Point;

/// Fewer counts leave nothing beside a line.
constexpr std::size_t kFewestCounts = 4;
/// Neighbours tell of a point by e^(-t / kMemory), those further than kFar times that nothing.
constexpr double kMemory = 0.8;  // s
constexpr double kFar = 6.0;
/// So much as one neighbour at the same time speaks for no drift.
constexpr double kNone = 1.0;
/// What is left of a row is this at most: more is no drift.
constexpr double kMost = 0.06;
/// Neighbours go together if their coefficient is so many standard uncertainties.
constexpr double kSure = 4.0;
constexpr int kRounds = 5;

/// A point in order of time.
struct Moment {
  double time = 0.0;  ///< s
  std::size_t row = 0;
  Point* point = nullptr;
  double iteration_j = 0.0;  ///< above idle
  double left = 0.0;         ///< beside the row's line, as a share
  bool is_told = false;      ///< whether its row leaves anything
  double around = 0.0;       ///< what its neighbours show
  double drift = 0.0;        ///< share to take off
};

double above_idle(const Point& point) {
  return (point.energy_j.value() - point.idle_j.value()) / point.iterations;
}

std::vector<Moment> moments_of(std::vector<std::vector<Point>>& rows) {
  std::vector<Moment> moments;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::set<unsigned> counts;
    for (const Point& point : rows[row]) counts.insert(point.of.copies);
    for (Point& point : rows[row]) {
      const double joules = above_idle(point);
      moments.push_back({.time = Seconds(point.span.begin.time_since_epoch()).count(),
                         .row = row,
                         .point = &point,
                         .iteration_j = joules,
                         .is_told = counts.size() >= kFewestCounts && joules > 0});
    }
  }
  std::sort(moments.begin(), moments.end(),
            [](const Moment& a, const Moment& b) { return a.time < b.time; });
  return moments;
}

/// What the rows' lines leave, with the drift that was taken off put back.
void fit_lines(std::vector<Moment>& moments, std::size_t rows) {
  std::vector<LineOfShares> sums(rows);
  const auto without = [](const Moment& one) {
    return IterationEnergy{static_cast<double>(one.point->of.copies),
                           one.iteration_j * (1 - one.drift)};
  };
  for (const Moment& one : moments) {
    if (one.is_told) sums[one.row].add(without(one));
  }
  std::vector<std::optional<EnergyLine>> lines;
  for (const LineOfShares& of_row : sums) lines.push_back(of_row.line());
  for (Moment& one : moments) {
    if (!one.is_told || !lines[one.row]) continue;
    // Widened for what the line took with it.
    const double count = sums[one.row].count();
    const double left = lines[one.row]->off(without(one)) * std::sqrt(count / (count - 2));
    one.left = std::clamp(left + one.drift, -kMost, kMost);
  }
}

/// Means of what neighbours of other rows leave, by how near they are.
void look_around(std::vector<Moment>& moments) {
  std::size_t first = 0;
  for (Moment& one : moments) {
    while (one.time - moments[first].time > kFar * kMemory) ++first;
    double sum = 0.0;
    double weights = kNone;
    for (std::size_t k = first; k < moments.size() && moments[k].time - one.time <= kFar * kMemory;
         ++k) {
      const Moment& other = moments[k];
      if (!other.is_told || other.row == one.row) continue;
      const double weight = std::exp(-std::abs(other.time - one.time) / kMemory);
      sum += weight * other.left;
      weights += weight;
    }
    one.around = sum / weights;
  }
}

}  // namespace

void remove_drift(std::vector<std::vector<Point>>& rows) {
  std::vector<Moment> moments = moments_of(rows);
  for (int round = 0; round < kRounds; ++round) {
    fit_lines(moments, rows.size());
    look_around(moments);
    double both = 0.0;
    double squares = 0.0;
    double left = 0.0;
    double told = 0.0;
    for (const Moment& one : moments) {
      if (!one.is_told) continue;
      both += one.left * one.around;
      squares += one.around * one.around;
      left += one.left * one.left;
      told += 1;
    }
    if (!(squares > 0)) return;
    const double share = both / squares;
    const double scatter = std::max(0.0, left - share * both) / told;
    if (share < kSure * std::sqrt(scatter / squares)) return;
    for (Moment& one : moments) one.drift = std::clamp(share * one.around, -kMost, kMost);
  }
  for (const Moment& one : moments) {
    Point& point = *one.point;
    const double more_j = one.drift * (point.energy_j.value() - point.idle_j.value());
    point.energy_j = uncertainty::difference(point.energy_j, uncertainty::Budget(more_j));
  }
}

}  // namespace truewatt::instructions
