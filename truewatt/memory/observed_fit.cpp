#include "truewatt/memory/observed_fit.hpp"

#include <algorithm>
#include <map>

#include "truewatt/memory/power_limit.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;
using microbenchmark::Point;
using uncertainty::Budget;

/// Columns of what runs beside accesses. It draws by its bits too, and the loops of loads and
/// stores differ, and those of walks: through shared memory, a region of a block's own, one array.
constexpr std::size_t kWalks = 3;
constexpr std::size_t kLoops = 4 * kWalks;
/// What the board's warmth adds, in joules for each watt that it drew in the seconds before.
constexpr std::size_t kWarmth = kLoops + 2;
constexpr std::size_t kBeside = kWarmth + 1;
std::size_t loop_column(const AccessPattern& pattern) {
  const std::size_t walk = pattern.space == kernels::MemorySpace::shared ? 0U
                           : pattern.of_block                            ? 1U
                                                                         : 2U;
  const std::size_t kind = (pattern.operation == kernels::MemoryOperation::load ? 0U : 1U) +
                           (pattern.data == kernels::Data::random ? 0U : 2U);
  return kWalks * kind + walk;
}
std::size_t logic_column(const AccessPattern& pattern) {
  return kLoops + (pattern.data == kernels::Data::random ? 0U : 1U);
}
/// LOP3 beside a load of 16 bytes.
constexpr double kLogic = 2.0;

/// What spinning draws above idle beside these points, by their shares of the multiprocessors.
std::map<double, std::optional<Budget>> spins_beside(const Observations& seen,
                                                     const std::vector<Point>& points) {
  std::map<double, std::optional<Budget>> spins;
  for (const Point& point : points) {
    if (spins.count(point.of.share) > 0) continue;
    spins[point.of.share] = seen.baselines.spin_beside(point.of.share, points);
  }
  return spins;
}

FitRun run_of(const Observations& seen, const Point& point, const Loop& loop, double recent_w,
              Budget joules) {
  FitRun run{.kernel = std::string(loop.kernel->name()),
             .joules = std::move(joules),
             .seconds = point.length.count(),
             .beside = std::vector<double>(kBeside, 0.0),
             .sectors = std::vector<double>(seen.plan.rows.size(), 0.0)};
  run.beside[loop_column(loop.pattern)] = point.iterations;
  run.beside[kWarmth] = (point.recent_w - recent_w) * point.length.count();
  if (loop.pattern.operation == kernels::MemoryOperation::load) {
    run.beside[logic_column(loop.pattern)] = point.iterations * loop.pattern.copies * kLogic;
  }
  for (std::size_t column = 0; column < seen.plan.rows.size(); ++column) {
    const LevelKey& key = seen.plan.rows[column].key;
    if (loop.pattern.without || key.operation != loop.pattern.operation ||
        key.data != loop.pattern.data) {
      continue;
    }
    run.sectors[column] = point.iterations * loop.served[static_cast<std::size_t>(key.level)];
  }
  return run;
}

bool is_twin(const FitRun& run) {
  return std::all_of(run.sectors.begin(), run.sectors.end(), [](double n) { return n == 0; });
}

void leave_out_without_twins(std::vector<FitRun>& runs) {
  for (std::size_t loop = 0; loop < kLoops; ++loop) {
    const bool has_twin = std::any_of(runs.begin(), runs.end(), [&](const FitRun& run) {
      return run.beside[loop] > 0 && is_twin(run);
    });
    if (!has_twin) std::erase_if(runs, [&](const FitRun& run) { return run.beside[loop] > 0; });
  }
}

/// Of all loops' points: energies are those of a board that is as warm as it was on the average.
double mean_recent_w(const Observations& seen) {
  double sum = 0.0;
  double count = 0.0;
  for (const auto& points : seen.points) {
    for (const Point& point : points) {
      sum += point.recent_w;
      ++count;
    }
  }
  return count > 0 ? sum / count : 0.0;
}

}  // namespace

std::vector<Point> points_of(const Observations& seen, std::size_t loop) {
  std::vector<Point> points = seen.baselines.steady(seen.points[loop]);
  const std::size_t row = seen.plan.loops[loop].row;
  bool has_free = false;
  for (std::size_t i = 0; i < seen.plan.loops.size(); ++i) {
    const bool alike = i == loop || (row != kNoRow && seen.plan.loops[i].row == row);
    if (!alike) continue;
    const auto steady = seen.baselines.steady(seen.points[i]);
    has_free = has_free || std::any_of(steady.begin(), steady.end(),
                                       [&](const Point& one) { return !is_limited(seen, one); });
  }
  if (has_free) std::erase_if(points, [&](const Point& point) { return is_limited(seen, point); });
  return points;
}

Budget above_idle(const Point& point, double idle_u_w) {
  Budget idle = point.idle_j;
  // Of a batch's own, and a little of all: boards that warm up idle higher after every batch.
  constexpr double kAlike = 0.15;
  const double joules = idle_u_w * point.length.count();
  idle.add(uncertainty::Cause::baseline, joules, {.run = point.batch});
  idle.add(uncertainty::Cause::pause_idle, kAlike * joules);
  return uncertainty::difference(point.energy_j, idle);
}

void fit_observed(Observations& seen) {
  const double idle_u_w = seen.baselines.idle_u_w();
  const double recent_w = mean_recent_w(seen);
  std::vector<Point> points;
  std::vector<std::size_t> loops;  // of the points
  for (std::size_t i = 0; i < seen.plan.loops.size(); ++i) {
    for (Point& point : points_of(seen, i)) {
      points.push_back(std::move(point));
      loops.push_back(i);
    }
  }
  const auto spins = spins_beside(seen, points);
  std::vector<FitRun> runs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const std::optional<Budget>& spin = spins.at(point.of.share);
    if (!spin) continue;
    Budget joules =
        uncertainty::difference(above_idle(point, idle_u_w), spin->scaled(point.length.count()));
    runs.push_back(run_of(seen, point, seen.plan.loops[loops[i]], recent_w, std::move(joules)));
  }
  auto fitted = fit_levels(runs);
  if (!fitted) {
    // A short budget leaves walks without twins, whose passes nothing tells apart from sectors.
    leave_out_without_twins(runs);
    fitted = fit_levels(runs);
  }
  seen.fit.reset();
  if (fitted) {
    seen.fit = std::move(*fitted);
    seen.fit_failure.clear();
  } else {
    seen.fit_failure = "too few runs to tell the levels apart";
  }
}

void conclude_fit(const Observations& seen, Table& table) {
  table.levels = seen.plan.rows;
  if (!seen.fit) return;
  const AccessPattern usual;
  const auto joules = [&seen](std::size_t column) -> std::optional<Interval> {
    const auto& one = seen.fit->beside_j[column];
    return one ? std::optional(uncertainty::interval_on_scale(*one)) : std::nullopt;
  };
  table.loop_j = joules(loop_column(usual));
  table.logic_j = joules(logic_column(usual));
  table.r_squared = seen.fit->r_squared;
  table.residuals = seen.fit->residuals;
}

}  // namespace truewatt::memory
