#include "truewatt/model/tick_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt {
namespace {

/// The guard is no wider than this share of the period.
constexpr double kWidestGuard = 0.4;
/// A step that is further than this share of the period from a whole number of periods does not
/// belong to the grid.
constexpr double kOffGrid = 0.3;
/// The guard covers this many standard deviations of the brackets around the grid ...
constexpr double kGuardSigmas = 3.0;
/// ... and the wake-up latency of an ordinary kernel.
constexpr Seconds kLatency{0.0003};

/// Rounds of fitting the line and placing the ticks in their brackets.
constexpr int kPlacements = 8;

/// Rounds of numbering the ticks by the period found so far.
constexpr int kNumberings = 3;
/// So many brackets tell the phase: over more of them the period's own error would show.
constexpr std::size_t kPhaseTicks = 8;

/// The number of periods after `from` that comes nearest to the bracket.
double steps_into(const PhaseBounds& bracket, double from, double period) {
  const double middle = (bracket.lower + bracket.upper) / 2;
  const double nearest = std::max(1.0, std::round((middle - from) / period));
  double best = nearest;
  for (const double steps : {nearest - 1, nearest + 1}) {
    const auto distance = [&](double n) { return std::abs(bracket.violation(from + n * period)); };
    if (steps >= 1 && distance(steps) < distance(best)) best = steps;
  }
  return best;
}

/// The phases with the least sum of squared violations: what all brackets have in common or, when
/// ticks jitter by more than the brackets are wide, one point in the middle of them.
std::pair<double, double> best_phases(const std::vector<PhaseBounds>& bounds) {
  double lower = bounds.front().lower;
  double upper = bounds.front().upper;
  double least = lower;
  double most = upper;
  for (const PhaseBounds& bound : bounds) {
    lower = std::max(lower, bound.lower);
    upper = std::min(upper, bound.upper);
    least = std::min(least, bound.lower);
    most = std::max(most, bound.upper);
  }
  if (lower <= upper) return {lower, upper};
  // The sum of violations rises with the phase: its zero is the minimum of the sum of squares.
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings; ++i) {
    const double phase = (least + most) / 2;
    const double sum = std::accumulate(
        bounds.begin(), bounds.end(), 0.0,
        [phase](double s, const PhaseBounds& bound) { return s + bound.violation(phase); });
    (sum < 0 ? least : most) = phase;
  }
  return {least, most};
}

/// The times that a line through every bracket can have `steps` numbers after the last one: for any
/// two brackets, the line from the end of one through the begin of the other is the last to pass.
/// Nothing when ticks jitter so much that no line passes.
std::optional<std::pair<double, double>> what_lines_allow(const std::vector<double>& numbers,
                                                          const std::vector<PhaseBounds>& brackets,
                                                          double steps) {
  double earliest = -std::numeric_limits<double>::infinity();
  double latest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 1; j < numbers.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      const double carried = (numbers.back() + steps - numbers[j]) / (numbers[j] - numbers[i]);
      const PhaseBounds& from = brackets[i];
      const PhaseBounds& to = brackets[j];
      earliest = std::max(earliest, to.lower + (to.lower - from.upper) * carried);
      latest = std::min(latest, to.upper + (to.upper - from.lower) * carried);
    }
  }
  if (earliest > latest) return std::nullopt;
  return std::pair(earliest, latest);
}

}  // namespace

void TickTracker::add(HostTime before, HostTime seen) {
  ticks_.push_back({before + (seen - before) / 2, Seconds(seen - before) / 2});
  if (ticks_.size() > kMemory) ticks_.pop_front();
  refit();
}

std::optional<double> TickTracker::first_guess() const {
  // Equal values only ever lengthen an interval: the lower quartile is one period as soon as a
  // quarter of the publications changes the value.
  std::vector<double> intervals;
  for (std::size_t i = 1; i < ticks_.size(); ++i) {
    intervals.push_back(Seconds(ticks_[i].middle - ticks_[i - 1].middle).count());
  }
  std::sort(intervals.begin(), intervals.end());
  const double quartile = intervals[intervals.size() / 4];
  return quartile > 0 ? std::optional(quartile) : std::nullopt;
}

TickTracker::Grid TickTracker::number(double period) const {
  Grid grid;
  double placed = 0.0;
  for (const Tick& tick : ticks_) {
    const double middle = Seconds(tick.middle - ticks_.front().middle).count();
    const PhaseBounds bracket{middle - tick.half_width.count(), middle + tick.half_width.count()};
    if (!grid.numbers.empty()) {
      const double steps = steps_into(bracket, placed, period);
      const double expected = placed + steps * period;
      if (std::abs(bracket.violation(expected)) > kOffGrid * period) {
        grid = {};  // what came before this step says nothing about the grid of now
      } else {
        grid.numbers.push_back(grid.numbers.back() + steps);
        placed = std::clamp(expected, bracket.lower, bracket.upper);
      }
    }
    if (grid.numbers.empty()) {
      grid.numbers.push_back(0.0);
      placed = middle;
    }
    grid.brackets.push_back(bracket);
  }
  return grid;
}

void TickTracker::refit() {
  const auto known = period_ ? std::optional(period_->count()) : std::nullopt;
  period_.reset();
  if (ticks_.size() < kLearn) return;
  auto period = known ? known : first_guess();
  if (!period) return;
  const double bracket_sd = typical_half_width() / std::sqrt(3.0);
  Grid grid;
  double period_sd = 0.0;
  for (int round = 0; round < kNumberings; ++round) {
    grid = number(*period);
    if (grid.numbers.size() < kLearn) return;
    // The line through the brackets: a tick lies where its bracket comes nearest to the line, and
    // the line is fitted to the ticks.
    std::vector<double> placed;
    for (const PhaseBounds& bracket : grid.brackets) {
      placed.push_back((bracket.lower + bracket.upper) / 2);
    }
    for (int i = 0; i < kPlacements; ++i) {
      const auto line = numerics::fit_line(grid.numbers, placed, bracket_sd);
      if (!line || !(line->slope > 0)) return;
      period = line->slope;
      if (i == 0) period_sd = line->slope_sd;
      for (std::size_t k = 0; k < placed.size(); ++k) {
        const PhaseBounds& bracket = grid.brackets[k];
        placed[k] = std::clamp(line->at(grid.numbers[k]).value, bracket.lower, bracket.upper);
      }
    }
  }
  period_ = Seconds(*period);
  period_sd_ = Seconds(period_sd);
  place_phase(grid);
  grid_ = std::move(grid);
}

double TickTracker::typical_half_width() const {
  std::vector<double> halves;
  for (const Tick& tick : ticks_) halves.push_back(tick.half_width.count());
  return numerics::median(std::move(halves)).value_or(0.0);
}

void TickTracker::place_phase(const Grid& grid) {
  // The latest brackets, moved by whole periods to the newest tick.
  std::vector<PhaseBounds> bounds;
  const std::size_t count = grid.numbers.size();
  for (std::size_t i = count - std::min(count, kPhaseTicks); i < count; ++i) {
    const double moved = (grid.numbers.back() - grid.numbers[i]) * period_->count();
    bounds.push_back({grid.brackets[i].lower + moved, grid.brackets[i].upper + moved});
  }
  const auto [earliest, latest] = best_phases(bounds);
  const double phase = (earliest + latest) / 2;
  double squares = 0.0;
  for (const PhaseBounds& bound : bounds) squares += std::pow(bound.violation(phase), 2);
  reference_ = ticks_.front().middle + to_nanoseconds(Seconds(phase));
  half_width_ = Seconds((latest - earliest) / 2);
  scatter_ = Seconds(std::sqrt(squares / static_cast<double>(bounds.size())));
}

std::optional<TickPrediction> TickTracker::next_after(HostTime now) const {
  if (!period_) return std::nullopt;
  const double passed = Seconds(now - reference_) / *period_;
  const double steps = std::max(1.0, std::floor(passed) + 1.0);
  if (const auto open = what_lines_allow(grid_.numbers, grid_.brackets, steps)) {
    const Seconds guard = Seconds((open->second - open->first) / 2) + kLatency;
    return TickPrediction{
        ticks_.front().middle + to_nanoseconds(Seconds((open->first + open->second) / 2)),
        to_nanoseconds(std::min(guard, kWidestGuard * *period_))};
  }
  const double carried = steps + static_cast<double>(kPhaseTicks) / 2;
  const Seconds drift = kGuardSigmas * carried * period_sd_;
  const Seconds guard = kGuardSigmas * scatter_ + half_width_ + drift + kLatency;
  return TickPrediction{reference_ + to_nanoseconds(steps * *period_),
                        to_nanoseconds(std::min(guard, kWidestGuard * *period_))};
}

}  // namespace truewatt
