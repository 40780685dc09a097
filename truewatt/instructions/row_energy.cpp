#include "truewatt/instructions/row_energy.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;

constexpr double kPico = 1e12;
/// Counts of the instruction in a loop, the empty one not among them, that show a line.
constexpr std::size_t kFewestCounts = 3;

/// Picojoules of one thread's iteration.
Budget of_iteration(const Point& point, Above above, const Standing& standing) {
  Budget energy = point.energy_j;
  Budget idle = point.idle_j;
  if (above == Above::idle) idle.add(Cause::pause_idle, standing.idle_u_w * point.length.count());
  if (above != Above::nothing) energy = uncertainty::difference(energy, idle);
  if (above == Above::spin) {
    energy = uncertainty::difference(energy, standing.spin_w->scaled(point.length.count()));
  }
  return energy.scaled(kPico / point.iterations);
}

/// The energies of runs over their copies. Errors of readings are shares of what was read, so that
/// short and long loops scatter alike as shares of their values; of the values of the line, since a
/// run that errs low would weigh more by its own.
class Lines {
 public:
  void add(Budget iteration, double copies) {
    runs_.push_back(std::move(iteration));
    copies_.push_back(copies);
  }
  std::optional<uncertainty::Scatter> scatter() const {
    const Shares shares = as_shares();
    return uncertainty::scatter_of(shares.columns, shares.runs);
  }
  std::optional<uncertainty::Regression> fit(
      const std::optional<uncertainty::Scatter>& scatter) const {
    const Shares shares = as_shares();
    auto fitted =
        uncertainty::regress(shares.columns, shares.runs,
                             {.ended_by = uncertainty::EndedBy::target, .scatter = scatter});
    if (!fitted) return std::nullopt;
    return std::move(*fitted);
  }

 private:
  struct Shares {
    std::vector<std::vector<double>> columns{2};
    std::vector<Budget> runs;
  };

  Shares as_shares() const {
    const auto line = line_of_copies();
    Shares shares;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const double value =
          line && copies_[i] > 0 ? copies_[i] * line->at(1 / copies_[i]).value : runs_[i].value();
      const double size = std::max(std::abs(value), runs_[i].precision());
      if (size <= 0) continue;
      shares.columns[0].push_back(1.0 / size);
      shares.columns[1].push_back(copies_[i] / size);
      shares.runs.push_back(runs_[i].scaled(1.0 / size));
    }
    return shares;
  }

  /// The energy of a copy over the inverse of their number, each run alike; nothing where all have
  /// one number.
  std::optional<numerics::LineFit> line_of_copies() const {
    std::vector<double> inverse;
    std::vector<double> of_copy;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!(copies_[i] > 0)) continue;
      inverse.push_back(1 / copies_[i]);
      of_copy.push_back(runs_[i].value() / copies_[i]);
    }
    const auto line = numerics::fit_line(inverse, of_copy);
    return line ? std::optional(*line) : std::nullopt;
  }

  std::vector<double> copies_;
  std::vector<Budget> runs_;
};

/// The empty loop is one point however often it ran. Beside instructions the loop's own cost hides
/// in other waits than alone (on an H200 they differ by a factor of 2), so it is known to its size.
std::optional<uncertainty::Regression> fit(std::span<const Point> points,
                                           std::span<const Point> empty, Above above,
                                           const Standing& standing,
                                           const std::optional<uncertainty::Scatter>& scatter) {
  Lines lines;
  for (const Point& point : points) {
    // Residuals decide how much runs err; what runs know, which of them err less than others.
    const Budget all = of_iteration(point, above, standing);
    Budget run = all.without(uncertainty::averages_out);
    run.add(Cause::readings, all.part(uncertainty::averages_out) / standing.overstated);
    lines.add(std::move(run), point.of.copies);
  }
  std::vector<Budget> of_empty;
  for (const Point& point : empty) of_empty.push_back(of_iteration(point, above, standing));
  if (!of_empty.empty()) {
    Budget empty_loop = uncertainty::mean_of_runs(of_empty).budget;
    empty_loop.add(Cause::readings, std::abs(empty_loop.value()));
    lines.add(empty_loop, 0.0);
  }
  return lines.fit(scatter);
}

double misfit_of(std::span<const Point> points, const uncertainty::Regression& line) {
  double most = 0.0;
  for (const Point& point : points) {
    const double fitted =
        line.coefficients[0].value() + point.of.copies * line.coefficients[1].value();
    const double seen = of_iteration(point, Above::idle, {}).value();
    if (fitted > 0) most = std::max(most, std::abs(seen / fitted - 1.0));
  }
  return most;
}

}  // namespace

Slopes slopes_of(std::span<const Point> points, std::span<const Point> empty,
                 const Standing& standing, const Scatters& scatters) {
  Slopes slopes;
  std::set<unsigned> counts;
  for (const Point& point : points) counts.insert(point.of.copies);
  if (counts.size() < kFewestCounts) return slopes;
  const auto slope = [&](Above above) -> std::optional<Budget> {
    const auto line =
        fit(points, empty, above, standing, scatters[static_cast<std::size_t>(above)]);
    if (!line) return std::nullopt;
    if (above == Above::idle) slopes.misfit = misfit_of(points, *line);
    if (above == Above::spin) slopes.loop_pj = line->coefficients[0];
    return line->coefficients[1];
  };
  slopes.total_pj = slope(Above::nothing);
  slopes.dynamic_pj = slope(Above::idle);
  if (standing.spin_w) slopes.above_spin_pj = slope(Above::spin);
  return slopes;
}

Scatters scatters_of(std::span<const Point> points, const Standing& standing) {
  Scatters scatters;
  for (const Above above : kAllAbove) {
    if (above == Above::spin && !standing.spin_w) continue;
    Lines lines;
    for (const Point& point : points) {
      lines.add(of_iteration(point, above, standing), point.of.copies);
    }
    scatters[static_cast<std::size_t>(above)] = lines.scatter();
  }
  return scatters;
}

double overstated(std::span<const std::vector<Point>> rows) {
  constexpr double kMany = 50.0;
  double residuals = 0.0;  // squares, in units of what runs say
  double freedom = 0.0;
  for (const std::vector<Point>& points : rows) {
    const auto seen = scatters_of(points, {})[static_cast<std::size_t>(Above::nothing)];
    double own = 0.0;
    for (const Point& point : points) {
      const double share = point.energy_j.part(uncertainty::averages_out) / point.energy_j.value();
      own += share * share / static_cast<double>(points.size());
    }
    if (!seen || !(own > 0)) continue;
    residuals += seen->freedom * seen->variance / own;
    freedom += seen->freedom;
  }
  if (freedom < kMany || !(residuals > 0)) return 1.0;
  return std::max(1.0, std::sqrt(freedom / residuals));
}

std::optional<Interval> on_scale_j(const std::optional<Budget>& picojoules) {
  if (!picojoules) return std::nullopt;
  Interval interval = uncertainty::interval_on_scale(*picojoules);
  interval.value /= kPico;
  interval.lower /= kPico;
  interval.upper /= kPico;
  return interval;
}

std::vector<ReaderRow> reader_rows(std::span<const Point> points, std::span<const Point> empty) {
  struct Sums {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::map<energy::Reader, Sums> sums;
  const auto add = [&](const Point& point) {
    for (const auto& [reader, joules] : point.readers_j) {
      Sums& s = sums[reader];
      const double x = point.of.copies;
      const double y = joules / point.iterations;
      s.n += 1;
      s.x += x;
      s.y += y;
      s.xx += x * x;
      s.xy += x * y;
    }
  };
  for (const Point& point : points) add(point);
  for (const Point& point : empty) add(point);
  std::vector<ReaderRow> rows;
  for (const auto& [reader, s] : sums) {
    const double spread = s.n * s.xx - s.x * s.x;
    if (spread > 0) rows.push_back({reader, (s.n * s.xy - s.x * s.y) / spread});
  }
  return rows;
}

}  // namespace truewatt::instructions
