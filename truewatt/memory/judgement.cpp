#include "truewatt/memory/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "truewatt/memory/power_limit.hpp"
#include "truewatt/microbenchmark/idle.hpp"

namespace truewatt::memory {
namespace {

using kernels::AccessPattern;
using microbenchmark::Point;
using uncertainty::Budget;

/// Without counters: standard uncertainty of the share that the level beside it serves. L1 is made
/// to hold what is walked several times over; of L2 and DRAM counters have shown 2 to 3 %
/// elsewhere.
constexpr double kUncountedL1 = 0.005;
constexpr double kUncounted = 0.02;
/// A level is served faster than the next one, as a factor, if its sectors come from it.
constexpr double kFaster = 1.1;
/// A share of sectors that matters.
constexpr double kLeastStray = 0.005;
/// An array that is so many times L2 leaves hardly anything in it.
constexpr double kBeyondL2 = 4.0;

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

std::optional<Interval> on_scale(const std::optional<Budget>& budget) {
  if (!budget) return std::nullopt;
  return uncertainty::interval_of(budget->without(uncertainty::is_scale));
}

/// Steady points of a loop; those of a lowered clock only where its row has no others: a sector
/// costs less at a lower clock.
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

void fit(Observations& seen) {
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

/// Sectors that another level served are charged to it; one without a number would leave them to
/// this row.
void look_at_others(Observations& seen, std::size_t column) {
  LevelRow& row = seen.plan.rows[column];
  for (const Loop& loop : seen.plan.loops) {
    if (loop.row != column) continue;
    for (const Level level : kAllLevels) {
      const auto other = column_of(seen, row.key, level);
      if (level == row.key.level || share_at(loop.served, level) < kLeastStray) continue;
      if (other && seen.fit && seen.fit->sector_j[*other]) continue;
      add_reason(row, Reason::unpaid_level);
      row.detail =
          fmt::format("{:.1f} % by {}", 100 * share_at(loop.served, level), to_string(level));
    }
  }
}

std::optional<Budget> increment_of(const Observations& seen, std::size_t column,
                                   const std::optional<Budget>& path) {
  const Level level = seen.plan.rows[column].key.level;
  if (!path || level == Level::shared || level == Level::l1) return path;
  const auto before =
      column_of(seen, seen.plan.rows[column].key, static_cast<Level>(static_cast<int>(level) - 1));
  if (!before) return std::nullopt;
  // Stores that a cache writes through are no path of their own.
  const auto& reasons = seen.plan.rows[*before].reasons;
  if (std::any_of(reasons.begin(), reasons.end(), spoils)) return std::nullopt;
  const auto nearer = path_of(seen, *before);
  if (!nearer) return std::nullopt;
  return uncertainty::difference(*path, *nearer);
}

/// Runs of one loop at full rate.
struct FullRate {
  std::vector<Budget> sector_j;      ///< by run, above idle
  double bytes_per_s = 0.0;          ///< the highest
  double power_w = 0.0;              ///< of the board then
  std::optional<double> clock_hz{};  ///< as any of them saw it

  double mean_j() const {
    double sum = 0.0;
    for (const Budget& joules : sector_j) sum += joules.value();
    return sum / static_cast<double>(sector_j.size());
  }
};

/// How runs scatter about the fit of all of them, of a sector of so many joules.
std::optional<uncertainty::Scatter> scatter_about_fit(const Observations& seen, double joules) {
  if (!seen.fit || seen.fit->residuals.empty()) return std::nullopt;
  double squares = 0.0;
  for (const Residual& one : seen.fit->residuals) {
    squares += std::pow(one.measured_j / one.fitted_j - 1, 2);
  }
  const auto count = static_cast<double>(seen.fit->residuals.size());
  return uncertainty::Scatter{joules * joules * squares / count, count};
}

/// What the row's loop that takes least at full rate draws: some loops reach the same rate and do
/// more beside their accesses.
void look_at_fastest(Observations& seen, std::size_t column) {
  constexpr double kFull = 0.99;  // of the highest rate
  LevelRow& row = seen.plan.rows[column];
  const double idle_u_w = seen.baselines.idle_u_w();
  std::vector<std::vector<Point>> points;  // by loop of the row
  bool of_other_clocks = false;
  std::vector<double> sectors;
  double highest = 0.0;
  const auto rate_of = [&](std::size_t loop, const Point& point) {
    return kSectorBytes * sectors[loop] * point.iterations / point.length.count();
  };
  for (std::size_t i = 0; i < seen.plan.loops.size(); ++i) {
    if (seen.plan.loops[i].row != column) continue;
    points.push_back(points_of(seen, i));
    sectors.push_back(total_of(seen.plan.loops[i].served));
    for (const Point& point : points.back()) {
      if (is_limited(seen, point)) add_reason(row, Reason::clocks_limited);
      of_other_clocks = of_other_clocks || seen.baselines.is_of_another_clock(point);
      highest = std::max(highest, rate_of(points.size() - 1, point));
    }
  }
  const auto& reasons = row.reasons;
  const bool limited = std::count(reasons.begin(), reasons.end(), Reason::clocks_limited) > 0;
  if (limited && of_other_clocks) add_reason(row, Reason::mixed_clocks);
  std::optional<FullRate> best;
  for (std::size_t loop = 0; loop < points.size(); ++loop) {
    FullRate full;
    for (const Point& point : points[loop]) {
      const double rate = rate_of(loop, point);
      if (!(rate > 0) || rate < kFull * highest) continue;
      full.sector_j.push_back(
          above_idle(point, idle_u_w).scaled(1 / (sectors[loop] * point.iterations)));
      if (point.clock_hz) full.clock_hz = point.clock_hz;
      if (rate <= full.bytes_per_s) continue;
      full.bytes_per_s = rate;
      full.power_w = point.energy_j.value() / point.length.count();
    }
    if (full.sector_j.empty() || (best && best->mean_j() <= full.mean_j())) continue;
    best = std::move(full);
  }
  if (!best) return;
  row.bytes_per_s = best->bytes_per_s;
  row.power_w = best->power_w;
  row.clock_hz = best->clock_hz;
  row.above_idle_j =
      on_scale(uncertainty::mean_of_runs(best->sector_j,
                                         {.scatter = scatter_about_fit(seen, best->mean_j())})
                   .budget);
}

void judge_row(Observations& seen, std::size_t column, double target) {
  LevelRow& row = seen.plan.rows[column];
  for (const Reason again :
       {Reason::not_measured, Reason::imprecise, Reason::clocks_limited, Reason::mixed_clocks,
        Reason::active_idle, Reason::not_positive, Reason::unpaid_level}) {
    std::erase(row.reasons, again);
  }
  const std::optional<Budget> path = path_of(seen, column);
  row.sector_j = on_scale(path);
  row.budget = path ? path->terms() : std::vector<uncertainty::Term>{};
  row.increment_j = on_scale(increment_of(seen, column, path));
  look_at_fastest(seen, column);
  if (seen.fit && seen.fit->not_positive[column]) add_reason(row, Reason::not_positive);
  row.valid = false;
  if (std::any_of(row.reasons.begin(), row.reasons.end(), spoils)) return;
  if (!path) {
    add_reason(row, Reason::not_measured);
    row.detail = seen.fit_failure;
  }
  look_at_others(seen, column);
  if (row.sector_j && half_width_of(*row.sector_j) > std::abs(row.sector_j->value)) {
    add_reason(row, Reason::not_measured);
    row.detail = "its interval holds 0: readings are too slow or too few";
  }
  if (seen.baselines.idles_above_spinning()) {
    add_reason(row, Reason::active_idle);
  } else if (is_wide(seen, column, target)) {
    add_reason(row, Reason::imprecise);
  }
  row.valid = row.sector_j && std::none_of(row.reasons.begin(), row.reasons.end(), spoils);
}

/// The highest rate of a row's walks on all multiprocessors, as if no limit had lowered the clock.
std::optional<double> sectors_per_cycle(const Observations& seen, std::size_t column) {
  const double usual_hz = seen.baselines.clock_hz().value_or(1.0);
  std::optional<double> highest;
  for (std::size_t i = 0; i < seen.plan.loops.size(); ++i) {
    if (seen.plan.loops[i].row != column) continue;
    for (const Point& point : seen.points[i]) {
      if (point.of.share < 1.0) continue;
      const double rate =
          total_of(seen.plan.loops[i].served) * point.iterations / point.length.count();
      highest = std::max(highest.value_or(0.0), rate / point.clock_hz.value_or(usual_hz));
    }
  }
  return highest;
}

}  // namespace

Budget above_idle(const Point& point, double idle_u_w) {
  Budget idle = point.idle_j;
  // Of a batch's own, and a little of all: boards that warm up idle higher after every batch.
  constexpr double kAlike = 0.15;
  const double joules = idle_u_w * point.length.count();
  idle.add(uncertainty::Cause::baseline, joules, {.run = point.batch});
  idle.add(uncertainty::Cause::pause_idle, kAlike * joules);
  return uncertainty::difference(point.energy_j, idle);
}

std::optional<std::size_t> column_of(const Observations& seen, const LevelKey& key, Level level) {
  for (std::size_t i = 0; i < seen.plan.rows.size(); ++i) {
    if (seen.plan.rows[i].key == LevelKey{level, key.operation, key.data}) return i;
  }
  return std::nullopt;
}

std::optional<Budget> path_of(const Observations& seen, std::size_t column) {
  if (!seen.fit || !seen.fit->sector_j[column]) return std::nullopt;
  Budget path = *seen.fit->sector_j[column];
  const LevelRow& row = seen.plan.rows[column];
  if (row.served || row.key.level == Level::shared) return path;
  const Level beside = row.key.level == Level::l2 ? Level::dram : Level::l2;
  const auto other = column_of(seen, row.key, beside);
  if (other && seen.fit->sector_j[*other]) {
    const double share = row.key.level == Level::l1 ? kUncountedL1 : kUncounted;
    path.add(uncertainty::Cause::misfit,
             share * (seen.fit->sector_j[*other]->value() - path.value()));
  }
  return path;
}

bool is_wide(const Observations& seen, std::size_t column, double target) {
  if (!seen.fit || !seen.fit->sector_j[column]) return false;
  const Interval path = *on_scale(seen.fit->sector_j[column]);
  return half_width_of(path) > target * std::abs(path.value);
}

void fit_and_judge(Observations& seen, double target) {
  fit(seen);
  for (std::size_t i = 0; i < seen.plan.rows.size(); ++i) judge_row(seen, i, target);
}

void conclude_fit(const Observations& seen, Table& table) {
  table.levels = seen.plan.rows;
  if (!seen.fit) return;
  const AccessPattern usual;
  table.loop_j = on_scale(seen.fit->beside_j[loop_column(usual)]);
  table.logic_j = on_scale(seen.fit->beside_j[logic_column(usual)]);
  table.r_squared = seen.fit->r_squared;
  table.residuals = seen.fit->residuals;
}

void compare_speeds(Observations& seen) {
  for (LevelRow& row : seen.plan.rows) {
    if (row.served || row.key.level == Level::dram || row.key.level == Level::shared) continue;
    const auto next =
        column_of(seen, row.key, static_cast<Level>(static_cast<int>(row.key.level) + 1));
    if (!next) continue;
    const auto here = sectors_per_cycle(seen, *column_of(seen, row.key, row.key.level));
    const auto there = sectors_per_cycle(seen, *next);
    if (!here || !there || *here > kFaster * *there) continue;
    const bool store_at_l1 =
        row.key.level == Level::l1 && row.key.operation == kernels::MemoryOperation::store;
    add_reason(row, store_at_l1 ? Reason::write_through : Reason::wrong_level);
    row.valid = false;
    seen.plan.rows[*next].increment_j.reset();
    if (row.key.level != Level::l2) continue;
    add_reason(seen.plan.rows[*next], Reason::wrong_level);
    seen.plan.rows[*next].valid = false;
  }
  for (LevelRow& row : seen.plan.rows) {
    if (row.served || row.key.level != Level::dram || !row.valid) continue;
    const auto walked = static_cast<double>(pattern_for(row.key, 8, seen.sizes).region);
    if (walked >= kBeyondL2 * seen.sizes.l2_bytes) continue;
    add_reason(row, Reason::wrong_level);
    row.detail = "the array is hardly larger than L2";
    row.valid = false;
  }
}

}  // namespace truewatt::memory
