#include "truewatt/ticks/grid_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/base/time_span.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::ticks {
namespace {

constexpr std::size_t kFewest = 50;
constexpr double kNearlyAll = 0.99;
/// Grids that miss so many more brackets than the best one agree as well: brackets may lie.
constexpr int kAlsoMissed = 2;
/// Hosts' and drivers' clocks run apart by no more than this.
constexpr double kClocksApart = 2e-4;
/// Drift of a grid over the ticks from one trial to the next, in usual brackets.
constexpr double kCoarse = 1.0 / 8;
constexpr double kFine = 1.0 / 128;
/// Brackets that hide less than this are narrow enough.
constexpr double kNarrow = 2e-4;  // s
constexpr int kMostTrials = 2000;

/// Grids of one period that pass through the most brackets: phases from `first` to `last`, s.
struct Phases {
  double period = 0.0;
  int held = 0;
  double first = 0.0;
  double last = 0.0;
};

std::vector<SecondsSpan> brackets_of(std::span<const Tick> ticks, double origin, double period) {
  std::vector<SecondsSpan> brackets;
  for (const Tick& tick : ticks) {
    const double half = tick.time_sd * std::sqrt(12.0) / 2;
    if (2 * half >= period) continue;
    brackets.push_back({tick.time - half - origin, tick.time + half - origin});
  }
  return brackets;
}

Phases phases_of(const std::vector<SecondsSpan>& brackets, double period) {
  std::vector<std::pair<double, int>> edges;
  int open = 0;
  for (const SecondsSpan& bracket : brackets) {
    const double begin = bracket.begin - period * std::floor(bracket.begin / period);
    const double end = begin + bracket.end - bracket.begin;
    edges.emplace_back(begin, -1);  // begins sort before ends at the same phase
    if (end < period) {
      edges.emplace_back(end, 1);
    } else {
      edges.emplace_back(end - period, 1);
      ++open;
    }
  }
  std::sort(edges.begin(), edges.end());
  Phases best{.period = period};
  for (std::size_t i = 0; i < edges.size(); ++i) {
    open -= edges[i].second;
    if (open <= best.held) continue;
    const double next = i + 1 < edges.size() ? edges[i + 1].first : edges.front().first + period;
    best = {period, open, edges[i].first, next};
  }
  return best;
}

/// Trials around `centre`, so far apart that a grid drifts by `drift` over the ticks.
std::vector<Phases> tried(const std::vector<SecondsSpan>& brackets, double centre, double reach,
                          double drift) {
  const double length = brackets.back().end - brackets.front().begin;
  const double step = drift * centre / length;
  const auto each_side = static_cast<int>(std::min<double>(std::ceil(reach / step), kMostTrials));
  std::vector<Phases> trials;
  for (int i = -each_side; i <= each_side; ++i) {
    trials.push_back(phases_of(brackets, centre + i * step));
  }
  return trials;
}

const Phases& most_held(const std::vector<Phases>& trials) {
  // Of several periods that hold as many, the one in the middle.
  const auto fewer = [](const Phases& a, const Phases& b) { return a.held < b.held; };
  const auto first = std::max_element(trials.begin(), trials.end(), fewer);
  const auto last = std::max_element(trials.rbegin(), trials.rend(), fewer).base() - 1;
  return *(first + (last - first) / 2);
}

}  // namespace

std::optional<Interval> common_shift(std::span<const Tick> ticks, const Interval& period) {
  if (ticks.size() < kFewest) return std::nullopt;
  // Phases are counted from the middle of the ticks, where a period's error shifts nothing.
  const double origin = (ticks.front().time + ticks.back().time) / 2;
  const std::vector<SecondsSpan> brackets = brackets_of(ticks, origin, period.value);
  if (brackets.size() < kFewest) return std::nullopt;
  std::vector<double> widths;
  for (const SecondsSpan& bracket : brackets) widths.push_back(bracket.end - bracket.begin);
  const double usual = *numerics::median(std::move(widths));
  if (usual <= kNarrow) return std::nullopt;
  const double reach = std::max({kClocksApart * period.value, period.upper - period.lower, 0.0});
  const Phases coarse = most_held(tried(brackets, period.value, reach, kCoarse * usual));
  const double length = brackets.back().end - brackets.front().begin;
  const std::vector<Phases> fine =
      tried(brackets, coarse.period, 4 * kCoarse * usual * coarse.period / length, kFine * usual);
  const Phases& best = most_held(fine);
  if (best.held < kNearlyAll * static_cast<double>(brackets.size())) return std::nullopt;
  // Phases are seen around that of the brackets' middles: they may lie on both sides of the grid's
  // origin.
  const std::vector<Tick> grid = on_grid({ticks.begin(), ticks.end()}, period.value);
  const auto central =
      std::min_element(grid.begin(), grid.end(), [origin](const Tick& a, const Tick& b) {
        return std::abs(a.time - origin) < std::abs(b.time - origin);
      });
  const double middles = central->time - origin;
  const double middle = std::remainder((best.first + best.last) / 2 - middles, best.period);
  Interval shift{middle, middle, middle, 0.95};
  for (const Phases& at : fine) {
    if (at.held < best.held - kAlsoMissed) continue;
    const double half = (at.last - at.first) / 2;
    const double centre =
        middle +
        std::remainder((at.first + at.last) / 2 - (best.first + best.last) / 2, best.period);
    shift.lower = std::min(shift.lower, centre - half);
    shift.upper = std::max(shift.upper, centre + half);
  }
  shift.value = (shift.lower + shift.upper) / 2;
  return shift;
}

}  // namespace truewatt::ticks
