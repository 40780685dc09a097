#include "truewatt/ticks/update_period.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/tick_numbers.hpp"

namespace truewatt::ticks {
namespace {

/// Least share of the brackets' variance that ticks stray by.
constexpr double kLeastOfBracket = 0.3;

/// A ring's reading that was stamped later than this share of a period may be late itself: of an
/// H200's, those 10 ms late were of their place on the grid, one 16 ms late was not.
constexpr double kLatestStamp = 2.0 / 3;

/// Share of the random walk in what makes ticks stray from their grid, the rest being each tick's
/// own (its bracket, white jitter): from none to all.
constexpr std::array kWalkShares = {0.0,  1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01,
                                    0.03, 0.1,  0.2,  0.4,  0.6,  0.8,  0.9,  1.0};

/// Behind a silence of more periods the grid may be another one: what lies across it tells nothing.
constexpr double kLongestSilence = 1000.0;

/// So many pivots, of a million periods each at most, have a product that a double holds.
constexpr std::size_t kPivotsOfProduct = 16;

/// ... where so many intervals are left.
constexpr std::ptrdiff_t kFewestBesideSilence = 20;

struct PeriodFit {
  double correction = 0.0;  ///< of the period that the residuals were taken from, s
  double variance = 0.0;    ///< of the period, per unit of `scale`
  double scale = 0.0;       ///< variance of straying, s^2
  double likelihood = 0.0;  ///< restricted, logarithm
};

/// Sums of one sweep of Gauss elimination, of each share of the walk: side by side, since each
/// waits for its own division.
struct Sweep {
  using Sums = std::array<double, kWalkShares.size()>;
  Sums pivot{};
  Sums step{};      // eliminated number of periods
  Sums residual{};  // eliminated interval less that many periods
  Sums mm{};
  Sums me{};
  Sums ee{};
  Sums product{};  // of pivots: a logarithm of each takes longer than all else
  Sums log_determinant{};

  Sweep() {
    pivot.fill(std::numeric_limits<double>::infinity());
    product.fill(1.0);
  }
  /// An interval that should be `m` periods and is longer by `e`.
  void add(double m, double e) {
    for (std::size_t k = 0; k < kWalkShares.size(); ++k) {
      const double off = kWalkShares[k] - 1.0;
      const double factor = off / pivot[k];
      pivot[k] = m * kWalkShares[k] - 2 * off - factor * off;
      step[k] = m - factor * step[k];
      residual[k] = e - factor * residual[k];
      const double weight = 1 / pivot[k];
      mm[k] += step[k] * step[k] * weight;
      me[k] += step[k] * residual[k] * weight;
      ee[k] += residual[k] * residual[k] * weight;
      product[k] *= pivot[k];
    }
  }
  void take_logarithms() {
    for (std::size_t k = 0; k < kWalkShares.size(); ++k) {
      log_determinant[k] += std::log(std::exchange(product[k], 1.0));
    }
  }
};

/// Generalized least squares of the intervals between ticks on their numbers of periods, for each
/// share w of the walk. Their errors are correlated with their neighbours': V = scale tridiagonal(m
/// w + 2 (1 - w), w - 1) (docs/method.md, eq. 7).
std::vector<PeriodFit> fit_intervals(const Numbered& ticks, double period) {
  const auto periods = [&ticks](std::size_t i) { return ticks.number[i + 1] - ticks.number[i]; };
  std::ptrdiff_t near = 0;
  for (std::size_t i = 0; i + 1 < ticks.time.size(); ++i) near += periods(i) <= kLongestSilence;
  const bool leaves_out = near >= kFewestBesideSilence;
  std::size_t count = 0;
  Sweep sweep;
  for (std::size_t i = 0; i + 1 < ticks.time.size(); ++i) {
    const double m = periods(i);
    if (leaves_out && m > kLongestSilence) continue;
    ++count;
    sweep.add(m, ticks.time[i + 1] - ticks.time[i] - m * period);
    if (i % kPivotsOfProduct == 0) sweep.take_logarithms();
  }
  sweep.take_logarithms();
  std::vector<PeriodFit> fits;
  const double freedom = static_cast<double>(count) - 1.0;
  for (std::size_t k = 0; k < kWalkShares.size(); ++k) {
    const double mm = sweep.mm[k];
    const double me = sweep.me[k];
    PeriodFit fit{.correction = me / mm, .variance = 1.0 / mm};
    fit.scale = std::max(sweep.ee[k] - me * me / mm, 0.0) / freedom;
    fit.likelihood = -(freedom * std::log(std::max(fit.scale, 1e-30)) + sweep.log_determinant[k] +
                       std::log(mm)) /
                     2;
    fits.push_back(fit);
  }
  return fits;
}

/// The period near `period` with its standard uncertainty, averaged over what may make the ticks
/// stray, by likelihood. `least_scale`: variance that the ticks' brackets leave at least, s^2.
Uncertain period_from(const Numbered& ticks, double period, double least_scale) {
  std::vector<PeriodFit> fits = fit_intervals(ticks, period);
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < fits.size(); ++k) {
    // All mixtures together weigh as much as either end, and have a parameter more (Schwarz 1978).
    const bool is_mixture = kWalkShares[k] > 0.0 && kWalkShares[k] < 1.0;
    const auto count = static_cast<double>(ticks.time.size());
    if (is_mixture) fits[k].likelihood -= std::log(count) / 2 + std::log(kWalkShares.size() - 2);
    most = std::max(most, fits[k].likelihood);
  }
  double weights = 0.0;
  double mean = 0.0;
  double squares = 0.0;
  for (const PeriodFit& fit : fits) {
    const double weight = std::exp(fit.likelihood - most);
    weights += weight;
    mean += weight * fit.correction;
    squares += weight *
               (fit.correction * fit.correction + fit.variance * std::max(fit.scale, least_scale));
  }
  mean /= weights;
  return {period + mean, std::sqrt(std::max(squares / weights - mean * mean, 0.0))};
}

/// Off the grid by no more than a tick's bracket explains, or a quarter of the period.
bool is_near(const Tick& tick, double off, double period) {
  const double half_bracket = std::sqrt(3.0) * tick.time_sd;
  return std::abs(off) <= std::max(kOffGrid * period, half_bracket);
}

/// The grid by the ticks near it; by all where these are few, rising.
std::optional<numerics::LineFit> line_through(const std::vector<Tick>& ticks,
                                              const std::vector<double>& numbers,
                                              const std::vector<bool>& near) {
  const auto found = std::count(near.begin(), near.end(), true);
  const bool few = 2 * found < static_cast<std::ptrdiff_t>(near.size());
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    if (!near[i] && !few) continue;
    x.push_back(numbers[i]);
    y.push_back(ticks[i].time);
  }
  const auto line = numerics::fit_line(x, y);
  return line && line->slope > 0 ? std::optional(*line) : std::nullopt;
}

}  // namespace

std::optional<Interval> update_period(const std::vector<Tick>& ticks) {
  if (ticks.size() < 4) return std::nullopt;
  auto period = usual_interval(ticks);
  if (!period) return std::nullopt;
  double brackets = 0.0;
  for (const Tick& tick : ticks) brackets += tick.time_sd * tick.time_sd;
  const double least = kLeastOfBracket * brackets / static_cast<double>(ticks.size());
  Uncertain refined;
  Numbered numbered;
  for (int round = 0; round < 3; ++round) {
    Numbered again = number_ticks(ticks, *period);
    if (round > 0 && again == numbered) break;  // they would tell the same
    numbered = std::move(again);
    if (numbered.time.size() < 3) return std::nullopt;
    const auto line = numerics::fit_line(numbered.number, numbered.time);
    if (!line || !(line->slope > 0)) return std::nullopt;
    refined = period_from(numbered, line->slope, least);
    period = refined.value;
  }
  return interval95(refined);
}

std::vector<Tick> on_grid(std::vector<Tick> ticks, double period) {
  // Numbers along a grid that follows the ticks near it, and then by the line through these: a tick
  // in a very wide bracket is one off before the line is known.
  std::vector<double> numbers;
  std::vector<bool> near;
  double grid = ticks.empty() ? 0.0 : ticks.front().time;
  double number = 0.0;
  std::size_t strays = 0;
  for (const Tick& tick : ticks) {
    const double steps = std::round((tick.time - grid) / period);
    const double off = tick.time - grid - steps * period;
    numbers.push_back(number + steps);
    near.push_back(is_near(tick, off, period));
    strays = near.back() ? 0 : strays + 1;
    if (strays > 0 && strays <= kMostStrays) continue;
    number += steps;
    grid += steps * period + (strays > 0 ? 1.0 : kFollow) * off;
    strays = 0;
  }
  auto line = line_through(ticks, numbers, near);
  if (!line) return ticks;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double steps = (ticks[i].time - line->at(0.0).value) / line->slope;
    numbers[i] = std::round(steps);
    near[i] = is_near(ticks[i], (steps - numbers[i]) * line->slope, line->slope);
  }
  line = line_through(ticks, numbers, near);
  if (!line) return ticks;
  const double sd = line->residual_sd / std::sqrt(static_cast<double>(line->points));
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    ticks[i].time = line->at(numbers[i]).value;
    ticks[i].time_sd = sd;
  }
  return ticks;
}

std::vector<Tick> ring_ticks(const std::vector<Tick>& stamped, double period, Jitter jitter) {
  std::vector<Tick> ticks = on_grid(stamped, period);
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    // So late that its place seems to be that of the next; and others before it, as late.
    if (ticks[i].time - ticks[i - 1].time > period / 2) continue;
    const auto follows = [&](std::size_t k) {
      return ticks[k].time - ticks[k - 1].time < 1.5 * period;
    };
    const auto is_off = [&](std::size_t k) {
      return std::abs(stamped[k].time - ticks[k].time) > kOffGrid * period;
    };
    std::size_t first = i - 1;
    while (first > 0 && follows(first) && is_off(first - 1)) --first;
    if (first > 0 && follows(first)) continue;
    for (std::size_t k = first; k < i; ++k) ticks[k].time -= period;
  }
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double late = stamped[i].time - ticks[i].time;
    double sd = 0.0;
    if (jitter == Jitter::of_readings && std::abs(late) <= kOffGrid * period) {
      ticks[i].time += late / 2;
      sd = late / std::sqrt(12.0);
    } else if (std::abs(late) >= kLatestStamp * period) {
      sd = late / std::sqrt(3.0);
    }
    ticks[i].time_sd = numerics::quadrature({ticks[i].time_sd, sd});
  }
  return ticks;
}

std::vector<Tick> between_stamp_and_grid(std::vector<Tick> ticks, double period) {
  const std::vector<Tick> regular = on_grid(ticks, period);
  std::vector<double> late;
  for (std::size_t i = 0; i < ticks.size(); ++i) late.push_back(ticks[i].time - regular[i].time);
  // Stamps that are late by half a period must not move the grid.
  const double usual = numerics::median(late).value_or(0.0);
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double strays = late[i] - usual;
    ticks[i].time -= strays / 2;
    ticks[i].time_sd = numerics::quadrature({ticks[i].time_sd, strays / std::sqrt(12.0)});
  }
  return ticks;
}

}  // namespace truewatt::ticks
