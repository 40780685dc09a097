#include "truewatt/energy/wide_brackets.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/energy/tick_numbers.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// So many ticks on either side say where the grid is; beyond so many periods they do not.
constexpr std::size_t kNeighbours = 3;
constexpr double kFarthest = 6.0;
/// A tick this many standard uncertainties beyond a bracket's end may yet be within it.
constexpr double kMayBe = 2.5;

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

/// Where the grid of the ticks around `at` has a tick nearest to it: the mean of what they say.
std::optional<double> grid_beside(const std::vector<Tick>& ticks, const std::vector<bool>& wide,
                                  std::size_t at, double period) {
  double sum = 0.0;
  std::size_t found = 0;
  std::optional<double> first;
  const auto ask = [&](std::size_t k) {
    if (wide[k] || std::abs(ticks[k].time - ticks[at].time) > kFarthest * period) return false;
    const double near = first.value_or(ticks[at].time);
    const double here = ticks[k].time + period * std::round((near - ticks[k].time) / period);
    if (!first) first = here;
    sum += here;
    ++found;
    return true;
  };
  std::size_t before = 0;
  for (std::size_t k = at; k-- > 0 && before < kNeighbours;) before += ask(k) ? 1 : 0;
  std::size_t after = 0;
  for (std::size_t k = at + 1; k < ticks.size() && after < kNeighbours; ++k)
    after += ask(k) ? 1 : 0;
  if (found < 2) return std::nullopt;
  return sum / static_cast<double>(found);
}

/// The grid's only tick within a bracket; none where several are or may be, or perhaps none is.
std::optional<double> only_tick(double grid, double sd, double period, const Tick& bracket) {
  const double half = std::sqrt(3.0) * bracket.time_sd;
  const double lower = bracket.time - half;
  const double upper = bracket.time + half;
  const double doubt = kMayBe * sd;
  std::optional<double> only;
  for (double tick = grid + period * std::floor((lower - doubt - grid) / period);
       tick < upper + doubt; tick += period) {
    if (tick < lower - doubt) continue;
    if (only) return std::nullopt;
    only = tick;
  }
  return only;
}

}  // namespace

std::vector<Tick> narrow_wide_brackets(const std::vector<Tick>& ticks, double period) {
  const std::vector<bool> wide = in_wide_brackets(ticks, period);
  const auto straying_sd = straying(ticks, wide, period);
  if (!straying_sd || std::find(wide.begin(), wide.end(), true) == wide.end()) return ticks;
  std::vector<Tick> placed;
  placed.reserve(ticks.size());
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    Tick tick = ticks[i];
    if (wide[i]) {
      const auto grid = grid_beside(ticks, wide, i, period);
      const auto only = grid ? only_tick(*grid, *straying_sd, period, tick) : std::nullopt;
      if (!only) continue;
      tick.time = *only;
      tick.time_sd = std::min(tick.time_sd, *straying_sd);
    }
    placed.push_back(tick);
  }
  return placed;
}

}  // namespace truewatt::energy
