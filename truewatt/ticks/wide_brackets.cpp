#include "truewatt/ticks/wide_brackets.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/ticks/tick_numbers.hpp"

namespace truewatt::ticks {
namespace {

/// So many ticks on either side say where the grid is; beyond so many periods they do not.
constexpr std::size_t kNeighbours = 3;
constexpr double kFarthest = 6.0;
/// A tick this many standard uncertainties beyond a bracket's end may yet be within it.
constexpr double kMayBe = 2.5;
/// A bracket this much wider than the others' is no evidence of the grid, and where it is this much
/// wider than the grid strays too, the grid tells better.
constexpr double kMuchWider = 3.0;

/// By how much the interval from one tick to the next strays from whole periods: standard deviation
/// by the median, of ticks in narrow brackets.
std::optional<double> straying(const std::vector<Tick>& ticks, const std::vector<bool>& wide,
                               double period) {
  std::vector<double> strays;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    if (wide[i] || wide[i - 1]) continue;
    const double interval = ticks[i].time - ticks[i - 1].time;
    strays.push_back(std::abs(interval - period * std::round(interval / period)));
  }
  constexpr double kOfNormal = 1.4826;
  const auto median = numerics::median(std::move(strays));
  return median ? std::optional(kOfNormal * *median) : std::nullopt;
}

/// How well brackets usually tell a time.
double usual_bracket(const std::vector<Tick>& ticks) {
  std::vector<double> sds;
  for (const Tick& tick : ticks) sds.push_back(tick.time_sd);
  return numerics::median(std::move(sds)).value_or(0.0);
}

/// A tick of the grid, and how well its neighbours tell where it is.
struct Place {
  double time = 0.0;
  double sd = 0.0;
};

/// Where the grid of the ticks around `at` has a tick nearest to it: the mean of what they say. A
/// grid that is another after it than before is known no better than the two agree.
std::optional<Place> grid_beside(const std::vector<Tick>& ticks, const std::vector<bool>& wide,
                                 std::size_t at, double period) {
  std::optional<double> first;
  const auto near = [&](std::size_t k) {
    return std::abs(ticks[k].time - ticks[at].time) <= kFarthest * period;
  };
  /// Adds where tick k has it, unless k is in a wide bracket itself.
  const auto ask = [&](std::size_t k, std::vector<double>& places) {
    if (wide[k]) return;
    const double about = first.value_or(ticks[at].time);
    places.push_back(ticks[k].time + period * std::round((about - ticks[k].time) / period));
    if (!first) first = places.back();
  };
  std::vector<double> before;
  for (std::size_t k = at; k-- > 0 && before.size() < kNeighbours && near(k);) ask(k, before);
  std::vector<double> after;
  for (std::size_t k = at + 1; k < ticks.size() && after.size() < kNeighbours && near(k); ++k) {
    ask(k, after);
  }
  if (before.size() + after.size() < 2) return std::nullopt;
  const double apart =
      before.empty() || after.empty() ? 0.0 : numerics::mean(after) - numerics::mean(before);
  before.insert(before.end(), after.begin(), after.end());
  return Place{numerics::mean(before), std::abs(apart) / 2};
}

/// Whether a tick of the grid at `time` is the publication before or after `at`, which was seen.
bool is_neighbour(const std::vector<Tick>& ticks, const std::vector<bool>& wide, std::size_t at,
                  double time, double period) {
  const auto is = [&](std::size_t k) {
    return !wide[k] && std::abs(ticks[k].time - time) < period / 2;
  };
  return (at > 0 && is(at - 1)) || (at + 1 < ticks.size() && is(at + 1));
}

/// The grid's only tick within the bracket of tick `at`; none where several are or may be, or
/// perhaps none is.
std::optional<double> only_tick(const Place& grid, double period, const std::vector<Tick>& ticks,
                                const std::vector<bool>& wide, std::size_t at) {
  const Tick& bracket = ticks[at];
  const double half = std::sqrt(3.0) * bracket.time_sd;
  const double lower = bracket.time - half;
  const double upper = bracket.time + half;
  const double doubt = kMayBe * grid.sd;
  std::optional<double> only;
  for (double tick = grid.time + period * std::floor((lower - doubt - grid.time) / period);
       tick < upper + doubt; tick += period) {
    if (tick < lower - doubt || is_neighbour(ticks, wide, at, tick, period)) continue;
    if (only) return std::nullopt;
    only = tick;
  }
  return only;
}

}  // namespace

std::vector<Tick> narrow_wide_brackets(const std::vector<Tick>& ticks, double period) {
  const double usual_sd = usual_bracket(ticks);
  std::vector<bool> wide;
  for (const Tick& tick : ticks) wide.push_back(tick.time_sd > kMuchWider * usual_sd);
  const auto straying_sd = straying(ticks, wide, period);
  if (!straying_sd || std::find(wide.begin(), wide.end(), true) == wide.end()) return ticks;
  // Of these a grid that strays itself tells nothing, unless they are a good part of a period.
  const std::vector<bool> useless = in_wide_brackets(ticks, period);
  std::vector<Tick> placed;
  placed.reserve(ticks.size());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    Tick tick = ticks[i];
    if (wide[i] && (useless[i] || tick.time_sd > kMuchWider * *straying_sd)) {
      auto grid = grid_beside(ticks, wide, i, period);
      if (grid) grid->sd = std::max(usual_sd, numerics::quadrature({grid->sd, *straying_sd}));
      const auto only = grid ? only_tick(*grid, period, ticks, wide, i) : std::optional<double>();
      if (!only && useless[i]) continue;
      if (only && grid->sd < tick.time_sd) {
        tick.time = *only;
        tick.time_sd = grid->sd;
      }
    }
    placed.push_back(tick);
  }
  return placed;
}

}  // namespace truewatt::ticks
