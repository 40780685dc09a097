#include "truewatt/memory/judgement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/memory/observed_fit.hpp"
#include "truewatt/memory/power_limit.hpp"
#include "truewatt/microbenchmark/holds_zero.hpp"

namespace truewatt::memory {
namespace {

using microbenchmark::Point;
using uncertainty::Budget;

/// Without counters: standard uncertainty of the share that the level beside it serves. L1 is made
/// to hold what is walked several times over; of L2 and DRAM counters have shown 2 to 3 %
/// elsewhere.
constexpr double kUncountedL1 = 0.005;
constexpr double kUncounted = 0.02;
/// A level is served faster than the next one or for less, as a factor, if its sectors come from
/// it.
constexpr double kApart = 1.1;
/// A share of sectors that matters.
constexpr double kLeastStray = 0.005;
/// An array that is so many times L2 leaves hardly anything in it.
constexpr double kBeyondL2 = 4.0;

std::optional<Interval> on_scale(const std::optional<Budget>& budget) {
  if (!budget) return std::nullopt;
  return uncertainty::interval_on_scale(*budget);
}

/// What sectors that a level served are charged: an energy of no one clock is none.
bool has_price(const Observations& seen, std::size_t column) {
  const auto& reasons = seen.plan.rows[column].reasons;
  return seen.fit && seen.fit->sector_j[column] &&
         std::find(reasons.begin(), reasons.end(), Reason::mixed_clocks) == reasons.end();
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
      if (other && has_price(seen, *other)) continue;
      add_reason(row, Reason::unpaid_level);
      row.shortfall =
          fmt::format("{:.1f} % by {}", 100 * share_at(loop.served, level), to_string(level));
      row.valid = false;
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
  double share = 0.0;                ///< of the multiprocessors, the most that reach it
  double power_w = 0.0;              ///< of the board then
  std::optional<double> clock_hz{};  ///< as one of them saw it

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

/// The clock of any of these stretches.
std::optional<double> clock_of(const std::vector<std::vector<Point>>& points) {
  for (const auto& of_loop : points) {
    for (const Point& point : of_loop) {
      if (point.clock_hz) return point.clock_hz;
    }
  }
  return std::nullopt;
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
      full.share = std::max(full.share, point.of.share);
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
  row.share = best->share;
  if (best->share < 1.0) add_reason(row, Reason::fewer_blocks);
  row.power_w = best->power_w;
  // A driver that is slow to say clocks is asked once a second: others of the row may have it.
  row.clock_hz = best->clock_hz ? best->clock_hz : clock_of(points);
  Budget above_idle = uncertainty::mean_of_runs(
                          best->sector_j, {.scatter = scatter_about_fit(seen, best->mean_j())})
                          .budget;
  above_idle.add(uncertainty::Cause::pause_idle,
                 seen.baselines.active_idle_w() * kSectorBytes / best->bytes_per_s);
  row.above_idle_j = on_scale(above_idle);
}

void judge_row(Observations& seen, std::size_t column, double target) {
  LevelRow& row = seen.plan.rows[column];
  for (const Reason again :
       {Reason::not_measured, Reason::imprecise, Reason::clocks_limited, Reason::mixed_clocks,
        Reason::active_idle, Reason::not_positive, Reason::unpaid_level, Reason::fewer_blocks}) {
    std::erase(row.reasons, again);
  }
  row.shortfall.clear();
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
    row.shortfall = seen.fit_failure;
  }
  if (row.sector_j && microbenchmark::holds_zero(*row.sector_j)) {
    add_reason(row, Reason::not_measured);
    row.shortfall = microbenchmark::kHoldsZero;
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

/// Whether a row's sectors come from elsewhere than those of the next level: they come faster or
/// cost less. DRAM of Hopper takes stores as fast as its L2 does.
bool are_apart(const Observations& seen, std::size_t here, std::size_t next) {
  const auto rate = sectors_per_cycle(seen, here);
  const auto next_rate = sectors_per_cycle(seen, next);
  if (!rate || !next_rate || *rate > kApart * *next_rate) return true;
  // L1 writes through: what its stores cost says nothing about where they end.
  const LevelRow& row = seen.plan.rows[here];
  if (row.key.level == Level::l1) return false;
  const auto& joules = row.sector_j;
  const auto& next_joules = seen.plan.rows[next].sector_j;
  return joules && next_joules && next_joules->lower > kApart * joules->upper;
}

}  // namespace

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
  const Interval path = uncertainty::interval_on_scale(*seen.fit->sector_j[column]);
  return half_width_of(path) > target * std::abs(path.value);
}

void fit_and_judge(Observations& seen, double target) {
  fit_observed(seen);
  for (std::size_t i = 0; i < seen.plan.rows.size(); ++i) judge_row(seen, i, target);
  for (std::size_t i = 0; i < seen.plan.rows.size(); ++i) {
    if (seen.plan.rows[i].valid) look_at_others(seen, i);
  }
}

void tell_levels_apart(Observations& seen) {
  for (LevelRow& row : seen.plan.rows) {
    if (row.served || row.key.level == Level::dram || row.key.level == Level::shared) continue;
    const auto next =
        column_of(seen, row.key, static_cast<Level>(static_cast<int>(row.key.level) + 1));
    if (!next) continue;
    if (are_apart(seen, *column_of(seen, row.key, row.key.level), *next)) continue;
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
    row.shortfall = "the array is hardly larger than L2";
    row.valid = false;
  }
}

}  // namespace truewatt::memory
