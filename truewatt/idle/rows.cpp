#include "truewatt/idle/rows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "truewatt/microbenchmark/idle.hpp"

namespace truewatt::idle {
namespace {

using uncertainty::Budget;

/// SM clocks this close, relative, are one.
constexpr double kOneClock = 0.05;
/// A driver without a client, and a context, take less.
constexpr double kMuchMemory = 2147483648.0;
/// Share of the time in which somebody else's kernels ran.
constexpr double kBusy = 0.05;
/// A context that adds less than that, in watts and as a share of the power, shows nothing.
constexpr double kHardlyWatts = 2.0;
constexpr double kHardlyShare = 0.02;
/// Runs of the scatter's components, apart from those of windows.
constexpr int kScatterRuns = 1000;

bool is_one_clock(const SeenStretch& a, const SeenStretch& b) {
  if (!a.seen.sm_clock_hz || !b.seen.sm_clock_hz) return true;
  const auto [less, more] = std::minmax(*a.seen.sm_clock_hz, *b.seen.sm_clock_hz);
  return more - less <= kOneClock * more;
}

using Group = std::vector<const SeenStretch*>;

/// Stretches with a power, by rung and clock; of a group the settled ones where there are some.
std::vector<Group> groups_of(std::span<const SeenStretch> stretches) {
  std::vector<Group> groups;
  for (const Rung rung : kRungs) {
    const std::size_t first = groups.size();
    for (const SeenStretch& one : stretches) {
      if (one.rung != rung || !one.power_w) continue;
      const auto same =
          std::find_if(groups.begin() + static_cast<std::ptrdiff_t>(first), groups.end(),
                       [&](const Group& group) { return is_one_clock(*group.front(), one); });
      if (same == groups.end()) {
        groups.push_back({&one});
      } else {
        same->push_back(&one);
      }
    }
  }
  for (Group& group : groups) {
    const auto settled = [](const SeenStretch* one) { return one->has_settled; };
    if (group.front()->rung == Rung::active || std::none_of(group.begin(), group.end(), settled)) {
      continue;
    }
    std::erase_if(group, [&](const SeenStretch* one) { return !settled(one); });
  }
  return groups;
}

std::vector<double> changes_of(const std::vector<Group>& groups) {
  std::vector<double> changes;
  for (const Group& group : groups) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      changes.push_back(group[i]->power_w->value() - group[i - 1]->power_w->value());
    }
  }
  return changes;
}

/// The mean of a group; `scatter_w` is the standard uncertainty of a single stretch.
Budget mean_of(const Group& group, const std::optional<double>& scatter_w, int run) {
  std::vector<Budget> parts;
  for (const SeenStretch* one : group) parts.push_back(*one->power_w);
  const std::vector<double> weights(parts.size(), 1.0 / static_cast<double>(parts.size()));
  const Budget mean = uncertainty::weighted_sum(parts, weights);
  if (!scatter_w) return mean;
  Budget known = mean.without(uncertainty::averages_out);
  known.add(uncertainty::Cause::scatter, *scatter_w / std::sqrt(static_cast<double>(parts.size())),
            {.program = "idle", .run = kScatterRuns + run});
  return known;
}

std::optional<double> mean_of(const Group& group, std::optional<double> Seen::*value) {
  double sum = 0.0;
  int count = 0;
  for (const SeenStretch* one : group) {
    if (!(one->seen.*value)) continue;
    sum += *(one->seen.*value);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

Seen seen_of(const Group& group) {
  return {.sm_clock_hz = mean_of(group, &Seen::sm_clock_hz),
          .memory_clock_hz = mean_of(group, &Seen::memory_clock_hz),
          .memory_used_bytes = mean_of(group, &Seen::memory_used_bytes),
          .utilization = mean_of(group, &Seen::utilization),
          .p_state = group.back()->seen.p_state,
          .temperature_c = mean_of(group, &Seen::temperature_c)};
}

Row row_of(const Group& group, const Budget& mean, const std::optional<Budget>& context) {
  Row row{.rung = group.front()->rung,
          .power_w = uncertainty::interval_on_scale(mean),
          .against_meter_w = uncertainty::interval_of(mean),
          .seen = seen_of(group),
          .stretches = static_cast<int>(group.size())};
  if (context && row.rung != Rung::context) {
    row.above_context_w = uncertainty::interval_on_scale(uncertainty::difference(mean, *context));
  }
  bool settled = true;
  bool moved = false;
  for (const SeenStretch* one : group) {
    row.counted += one->counted;
    settled = settled && one->has_settled;
    moved = moved || one->clock_moved;
    if (one->settled) row.settled = std::max(row.settled.value_or(Seconds(0)), *one->settled);
  }
  // What counts of active idle is over before the board is at rest: only the last one waits for it.
  if (row.rung == Rung::active) settled = group.back()->has_settled;
  if (!settled) {
    row.settled.reset();
    row.reasons.push_back(Reason::not_settled);
  }
  if (moved) row.reasons.push_back(Reason::clock_moved);
  return row;
}

const SeenStretch* first_of(std::span<const SeenStretch> stretches, Rung rung) {
  for (const SeenStretch& one : stretches) {
    if (one.rung == rung && one.power_w) return &one;
  }
  return nullptr;
}

bool is_listed(std::span<const SeenStretch> stretches, Rung rung) {
  return std::any_of(stretches.begin(), stretches.end(),
                     [rung](const SeenStretch& one) { return one.rung == rung; });
}

}  // namespace

std::vector<Row> rows_of(std::span<const SeenStretch> stretches) {
  const std::vector<Group> groups = groups_of(stretches);
  const std::vector<double> changes = changes_of(groups);
  std::optional<double> scatter_w;
  // Of the mean of two it is smaller by the root of 2.
  if (!changes.empty()) scatter_w = std::sqrt(2.0) * microbenchmark::idle_uncertainty(changes);
  std::vector<Budget> means;
  std::optional<Budget> context;
  for (const Group& group : groups) {
    means.push_back(mean_of(group, scatter_w, static_cast<int>(means.size())));
    if (group.front()->rung == Rung::context && !context) context = means.back();
  }
  std::vector<Row> rows;
  for (const Rung rung : kRungs) {
    const std::size_t before = rows.size();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (groups[i].front()->rung == rung) rows.push_back(row_of(groups[i], means[i], context));
    }
    if (rows.size() > before) continue;
    rows.push_back(
        {.rung = rung,
         .reasons = {is_listed(stretches, rung) ? Reason::no_energy : Reason::not_reached}});
  }
  return rows;
}

bool is_held_by_others(std::span<const SeenStretch> stretches) {
  const SeenStretch* bare = first_of(stretches, Rung::bare);
  const SeenStretch* context = first_of(stretches, Rung::context);
  if (bare == nullptr) return false;
  if (bare->seen.utilization.value_or(0.0) > kBusy) return true;
  if (bare->seen.memory_used_bytes.value_or(0.0) > kMuchMemory) return true;
  if (context == nullptr || !bare->seen.sm_clock_hz || !context->seen.sm_clock_hz) return false;
  const double rise_w = context->power_w->value() - bare->power_w->value();
  const bool same_power = rise_w < std::max(kHardlyWatts, kHardlyShare * context->power_w->value());
  return same_power && is_one_clock(*bare, *context);
}

bool is_busy_with_others(std::span<const SeenStretch> stretches) {
  return std::any_of(stretches.begin(), stretches.end(), [](const SeenStretch& one) {
    return (one.rung == Rung::bare || one.rung == Rung::context) &&
           one.seen.utilization.value_or(0.0) > kBusy;
  });
}

}  // namespace truewatt::idle
