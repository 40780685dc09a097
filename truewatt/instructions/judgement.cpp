#include "truewatt/instructions/judgement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "truewatt/instructions/strays.hpp"
#include "truewatt/instructions/warmth.hpp"
#include "truewatt/microbenchmark/holds_zero.hpp"
#include "truewatt/microbenchmark/idle.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/uncertainty/regress.hpp"

namespace truewatt::instructions {
namespace {

using uncertainty::Budget;

/// A residual that no reading explains, where nothing tells how rows scatter.
constexpr double kMisfit = 0.03;

RowPoint row_point(const Point& point, HostTime began) {
  const double length = point.length.count();
  return {.copies = point.of.copies,
          .begin_s = Seconds(point.span.begin - began).count(),
          .iterations_per_s = point.iterations / length,
          .power_w = point.energy_j.value() / length,
          .idle_w = point.idle_j.value() / length,
          .recent_w = point.recent_w,
          .clock_hz = point.clock_hz,
          .recording = point.batch};
}

/// What a row's energies come from.
struct Basis {
  std::vector<Point> points;  ///< as if the board had been as warm in all
  std::size_t strays = 0;     ///< that are not among them
  Standing standing;
  Scatters own;
};

/// How rows scatter that were compiled alike: those of one optimization.
using CommonScatters = std::map<kernels::Optimization, Scatters>;

std::vector<Basis> bases_of(const Observations& seen) {
  const microbenchmark::Baselines& on = seen.baselines;
  std::vector<std::vector<Point>> points;
  std::vector<std::size_t> steady;
  for (const MeasuredRow& row : seen.rows) {
    points.push_back(on.steady(row.points));
    steady.push_back(points.back().size());
  }
  take_out_strays(points);
  const Warmth warmth = warmth_of(points);
  for (auto& of_row : points) {
    for (Point& point : of_row) point = warmth.removed_from(std::move(point));
  }
  const double by = overstated(points);
  std::vector<Basis> bases;
  for (std::size_t i = 0; i < seen.rows.size(); ++i) {
    const double idle_u_w = on.idle_u_w() * microbenchmark::idle_share(points[i]);
    Basis basis{.standing = {.idle_u_w = numerics::quadrature({idle_u_w, on.active_idle_w()}),
                             .spin_w = on.spin_beside(seen.rows[i].share, points[i]),
                             .overstated = by}};
    basis.strays = steady[i] - points[i].size();
    basis.points = std::move(points[i]);
    if (!seen.rows[i].planned.loops.empty()) basis.own = scatters_of(basis.points, basis.standing);
    bases.push_back(std::move(basis));
  }
  return bases;
}

CommonScatters common_of(const Observations& seen, const std::vector<Basis>& bases) {
  std::map<kernels::Optimization, std::array<std::vector<uncertainty::Scatter>, 3>> own;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    auto& of_kind = own[seen.rows[i].planned.row.key.optimization];
    for (std::size_t above = 0; above < of_kind.size(); ++above) {
      if (bases[i].own[above]) of_kind[above].push_back(*bases[i].own[above]);
    }
  }
  CommonScatters common;
  for (const auto& [optimization, of_kind] : own) {
    for (std::size_t above = 0; above < of_kind.size(); ++above) {
      common[optimization][above] = uncertainty::common_scatter(of_kind[above]);
    }
  }
  return common;
}

/// Its own where there is none that rows have in common.
Scatters scatters_for(const Scatters& own, const Scatters& common) {
  Scatters both;
  for (std::size_t above = 0; above < both.size(); ++above) {
    if (common[above]) {
      both[above] =
          uncertainty::moderated(own[above].value_or(uncertainty::Scatter{}), common[above]);
    }
  }
  return both;
}

/// Whether a row's energies are not on a line over its counts.
bool is_bent(const Slopes& slopes, const Basis& basis, const Scatters& common) {
  constexpr auto kIdle = static_cast<std::size_t>(Above::idle);
  if (!common[kIdle] || !basis.own[kIdle]) return slopes.misfit > kMisfit;
  return uncertainty::is_of_another_kind(*basis.own[kIdle], *common[kIdle]);
}

void fit_row(MeasuredRow& measured, const Observations& seen, const Basis& basis,
             const Scatters& common) {
  const microbenchmark::Baselines& on = seen.baselines;
  Row& row = measured.planned.row;
  if (measured.planned.loops.empty()) return;
  const std::vector<Point>& points = basis.points;
  const auto of_empty = seen.empty.find(row.key.optimization);
  const std::vector<Point> empty =
      of_empty == seen.empty.end() ? std::vector<Point>() : on.steady(of_empty->second);
  measured.slopes = slopes_of(points, empty, basis.standing, scatters_for(basis.own, common));
  measured.is_bent = is_bent(measured.slopes, basis, common);
  row.points.clear();
  for (const Point& point : points) {
    row.points.push_back(row_point(point, seen.began.value_or(point.span.begin)));
  }
  row.share = measured.share;
  row.rate_per_s.reset();
  row.power_w.reset();
  row.clock_hz.reset();
  row.strays = basis.strays;
  row.readers = reader_rows(points, empty);
  unsigned most = 0;
  for (const Point& point : points) most = std::max(most, point.of.copies);
  for (const Point& point : points) {
    if (point.of.copies != most) continue;
    row.rate_per_s = most * point.iterations / point.length.count();
    row.power_w = point.energy_j.value() / point.length.count();
    if (point.clock_hz) row.clock_hz = point.clock_hz;
  }
  // A stretch of some tenths of a second may end before the driver was asked.
  for (const Point& point : points) {
    if (!row.clock_hz) row.clock_hz = point.clock_hz;
  }
}

/// Whether a limit lowered its clock, and the spinning loop's, which is subtracted, is another.
bool is_of_several_clocks(const MeasuredRow& row, const microbenchmark::Baselines& baselines) {
  const auto differs = [&](const Point& point) { return baselines.is_of_another_clock(point); };
  return is_limited(row) && std::any_of(row.points.begin(), row.points.end(), differs);
}

/// Its partner is no row: both are given together.
bool is_pair(const Row& row) {
  return !row.partner.empty() && kernels::find_instruction(row.partner) == nullptr;
}

/// What of a pair's energy is the time that it takes, beside what its instructions draw, is the
/// row's own by an unknown part: its partner met a limit on as many multiprocessors, and on those
/// that it ran on instead its time is another.
std::optional<Budget> with_part_of_time(const std::optional<Budget>& above_spin,
                                        const std::optional<Budget>& of_pair,
                                        const std::optional<Budget>& pair_above_spin) {
  if (!above_spin || !of_pair || !pair_above_spin) return std::nullopt;
  const Budget standing = uncertainty::difference(*of_pair, *pair_above_spin);
  const Budget parts[] = {*above_spin, standing};
  const double weights[] = {1.0, 0.5};
  Budget both = uncertainty::weighted_sum(parts, weights);
  both.add(uncertainty::Cause::misfit, std::abs(standing.value()) / std::sqrt(12.0));
  return both;
}

void subtract_partner(MeasuredRow& measured, const Observations& seen) {
  const std::vector<MeasuredRow>& rows = seen.rows;
  Row& row = measured.planned.row;
  measured.own = measured.slopes;
  measured.is_beside_others = false;
  measured.is_of_several_clocks = is_of_several_clocks(measured, seen.baselines);
  if (row.partner.empty() || is_pair(row)) return;
  RowKey key = row.key;
  key.instruction = row.partner;
  const auto partner = std::find_if(rows.begin(), rows.end(), [&](const MeasuredRow& other) {
    return other.planned.row.key == key;
  });
  const auto less = [](std::optional<Budget>& own, const std::optional<Budget>& other) {
    own = own && other ? std::optional(uncertainty::difference(*own, *other)) : std::nullopt;
  };
  if (partner == rows.end() || !partner->slopes.dynamic_pj) {
    measured.own = {};
    add_reason(row, Reason::partner_missing);
    return;
  }
  measured.is_of_several_clocks =
      measured.is_of_several_clocks || is_of_several_clocks(*partner, seen.baselines);
  less(measured.own.above_spin_pj, partner->own.above_spin_pj);
  const Slopes& pair = measured.slopes;
  if (partner->share == measured.share) {
    less(measured.own.dynamic_pj, partner->own.dynamic_pj);
    less(measured.own.total_pj, partner->own.total_pj);
    return;
  }
  measured.is_beside_others = true;
  const auto& above_spin = measured.own.above_spin_pj;
  measured.own.dynamic_pj = with_part_of_time(above_spin, pair.dynamic_pj, pair.above_spin_pj);
  measured.own.total_pj = with_part_of_time(above_spin, pair.total_pj, pair.above_spin_pj);
}

bool is_wide(const std::optional<Interval>& energy, double target) {
  if (!energy) return false;
  return half_width_of(*energy) > std::max(kTargetJoules, target * std::abs(energy->value));
}

void judge(MeasuredRow& measured, bool idles_above_spinning, double target) {
  Row& row = measured.planned.row;
  if (measured.planned.loops.empty()) return;
  row.reasons.clear();
  row.detail.clear();
  row.dynamic_j = on_scale_j(measured.own.dynamic_pj);
  row.above_spin_j = on_scale_j(measured.own.above_spin_pj);
  row.total_j = on_scale_j(measured.own.total_pj);
  row.dynamic_budget.clear();
  if (const auto& own = measured.own.dynamic_pj) row.dynamic_budget = own->scaled(1e-12).terms();
  row.budget.clear();
  if (const auto& above = measured.own.above_spin_pj) row.budget = above->scaled(1e-12).terms();
  if (!row.dynamic_j) {
    const bool alone = measured.slopes.dynamic_pj.has_value();
    add_reason(row, alone ? Reason::partner_missing : Reason::not_measured);
  }
  if (may_be_nothing(row)) {
    add_reason(row, Reason::not_measured);
    row.detail = microbenchmark::kHoldsZero;
  }
  if (is_pair(row)) add_reason(row, Reason::pair);
  if (idles_above_spinning) add_reason(row, Reason::active_idle);
  if (is_wide(row, target)) add_reason(row, Reason::imprecise);
  if (measured.is_bent) add_reason(row, Reason::scatter);
  if (is_limited(measured)) add_reason(row, Reason::clocks_limited);
  if (measured.is_of_several_clocks) add_reason(row, Reason::mixed_clocks);
  if (measured.share < 1.0 || measured.is_beside_others) add_reason(row, Reason::fewer_blocks);
  row.valid = std::none_of(row.reasons.begin(), row.reasons.end(), spoils);
}

}  // namespace

void judge_rows(Observations& seen, double target) {
  const std::vector<Basis> bases = bases_of(seen);
  CommonScatters common = common_of(seen, bases);
  for (std::size_t i = 0; i < bases.size(); ++i) {
    MeasuredRow& row = seen.rows[i];
    fit_row(row, seen, bases[i], common[row.planned.row.key.optimization]);
  }
  for (MeasuredRow& row : seen.rows) subtract_partner(row, seen);
  const bool idles_above_spinning = seen.baselines.idles_above_spinning();
  for (MeasuredRow& row : seen.rows) judge(row, idles_above_spinning, target);
}

void conclude_baselines(const Observations& seen, Table& table) {
  table.baselines = {seen.baselines.idle_w(), seen.baselines.spin_w(), seen.baselines.clock_hz()};
  table.scale = seen.baselines.scale();
}

bool is_wide(const Row& row, double target) {
  // Above idle it may be a partner's time that is open, which no repetition tells.
  const bool by_time = !row.partner.empty() &&
                       std::count(row.reasons.begin(), row.reasons.end(), Reason::fewer_blocks) > 0;
  return (!by_time && is_wide(row.dynamic_j, target)) || is_wide(row.above_spin_j, target);
}

bool may_be_nothing(const Row& row) {
  return row.dynamic_j && microbenchmark::holds_zero(*row.dynamic_j) &&
         half_width_of(*row.dynamic_j) > kTargetJoules;
}

bool is_limited(const MeasuredRow& measured) {
  return std::any_of(measured.points.begin(), measured.points.end(),
                     [](const Point& point) { return point.limited; });
}

}  // namespace truewatt::instructions
