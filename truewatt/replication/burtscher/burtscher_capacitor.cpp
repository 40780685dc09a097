#include "truewatt/replication/burtscher/burtscher_capacitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "truewatt/numerics/nelder_mead.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/burtscher/burtscher_uncertainty.hpp"

namespace truewatt::replication::burtscher {
namespace {

/// Steps of the first search, from a quarter of the readings' interval to four times their length.
constexpr int kSearchSteps = 60;
constexpr double kShortestInIntervals = 0.25;
constexpr double kLongestInLengths = 4.0;
/// A least sum of absolute values is found again from where the search ended, with a new simplex.
constexpr int kSearches = 3;
/// The level before a step is that of so many seconds.
constexpr double kBaseLength = 2.0;
/// The curve begins with the first reading beyond the one that is this share of the way.
constexpr double kHasLeft = 0.05;
/// A step below either of these is lost, as in Yang 2024's procedures (yang_step.cpp).
constexpr double kSmallestStep = 1.0;  // W
constexpr double kSmallestStepInSds = 5.0;
/// An instant sensor has less than this share of the way left then.
constexpr double kStillToGo = 0.05;
/// The discharge is looked at for three constants, at most as long as active idle lasts.
constexpr double kDischargeInConstants = 3.0;
constexpr double kLongestDischarge = 3.0;  // s
/// A board that rises slowly falls at once; the sensor's discharge takes as long as its charge.
constexpr double kLeastOfCharge = 0.5;

/// A line a + b x through the readings by least squares, and the sum of their absolute distances.
struct Line {
  double a = 0.0;
  double b = 0.0;
  double absolute = std::numeric_limits<double>::infinity();
};

template <typename Shape>
Line line_over(Readings readings, const Shape& shape) {
  const double begin = readings.front().time;
  double x = 0.0, y = 0.0;
  for (const ticks::Tick& tick : readings) {
    x += shape(tick.time - begin);
    y += tick.value;
  }
  x /= static_cast<double>(readings.size());
  y /= static_cast<double>(readings.size());
  double spread = 0.0, together = 0.0, size = 0.0;
  for (const ticks::Tick& tick : readings) {
    const double at = shape(tick.time - begin);
    spread += (at - x) * (at - x);
    together += (at - x) * (tick.value - y);
    size += at * at;
  }
  Line line;
  // A shape as flat as this is a constant in all but rounding.
  if (!(spread > 1e-12 * size)) return line;
  line.b = together / spread;
  line.a = y - line.b * x;
  line.absolute = 0.0;
  for (const ticks::Tick& tick : readings) {
    line.absolute += std::abs(tick.value - line.a - line.b * shape(tick.time - begin));
  }
  return line;
}

auto discharge(double constant) {
  return [constant](double t) { return std::exp(-t / constant); };
}

double length_of(Readings readings) { return readings.back().time - readings.front().time; }

double interval_of(Readings readings) {
  return length_of(readings) / static_cast<double>(readings.size() - 1);
}

struct Lengths {
  double shortest = 0.0;
  double longest = 0.0;
};

struct BestLength {
  double length = 0.0;
  Line line;
};

/// The length whose line over `shape_of(length)` is nearest, among kSearchSteps and then among as
/// many between its neighbours.
template <typename ShapeOf>
BestLength best_length(Readings readings, const ShapeOf& shape_of, Lengths range) {
  BestLength best;
  for (int pass = 0; pass < 2; ++pass) {
    const double ratio = std::pow(range.longest / range.shortest, 1.0 / (kSearchSteps - 1));
    for (int i = 0; i < kSearchSteps; ++i) {
      const double length = range.shortest * std::pow(ratio, i);
      const Line line = line_over(readings, shape_of(length));
      if (line.absolute < best.line.absolute) best = {length, line};
    }
    range = {best.length / ratio, best.length * ratio};
  }
  return best;
}

double mean_of(Readings readings) {
  double sum = 0.0;
  for (const ticks::Tick& tick : readings) sum += tick.value;
  return sum / static_cast<double>(readings.size());
}

double sd_of(Readings readings) {
  std::vector<double> values;
  for (const ticks::Tick& tick : readings) values.push_back(tick.value);
  const auto summary = numerics::summarize(values);
  return summary ? summary->sd : 0.0;
}

/// Mean distance of the readings from the best ramp into a plateau.
double distance_from_ramp(Readings readings) {
  const auto ramp = [](double length) {
    return [length](double t) { return std::min(t, length); };
  };
  const Lengths range{interval_of(readings), length_of(readings)};
  return best_length(readings, ramp, range).line.absolute / static_cast<double>(readings.size());
}

/// The readings of a step's curve: what follows the one that has left the level before.
Readings curve_of(Readings readings, double begin, double end) {
  const Readings base = within(readings, begin - kBaseLength, begin);
  const Readings inside = within(readings, begin, end);
  if (base.empty() || inside.size() < 2) return {};
  const double level = mean_of(base);
  const double way = inside.back().value - level;
  const auto left = std::find_if(
      inside.begin(), inside.end(),
      [level, way](const ticks::Tick& tick) { return (tick.value - level) / way > kHasLeft; });
  const auto skipped = static_cast<std::size_t>(left - inside.begin()) + 1;
  return skipped >= inside.size() ? Readings{} : inside.subspan(skipped);
}

/// Whether the readings fall after the load as slowly as they rose.
bool discharges(Readings readings, const identification::Work& load, double constant) {
  const double length = std::min(kDischargeInConstants * constant, kLongestDischarge);
  const Readings before = within(readings, load.end - kBaseLength / 2, load.end);
  const Readings after = within(readings, load.end, load.end + length);
  if (before.empty() || after.size() < 2) return false;
  // From what is shown just before the end: a capacitor need not be full.
  const double top = before.back().value;
  const double low = after.back().value;
  double area = 0.0;  // under a discharge from 1 to e^-3 this is C less that end
  for (std::size_t i = 1; i < after.size(); ++i) {
    const double share = ((after[i - 1].value + after[i].value) / 2 - low) / (top - low);
    area += share * (after[i].time - after[i - 1].time);
  }
  const double ends = length / constant;
  const double whole = constant * (1.0 - ends / (std::exp(ends) - 1.0));
  return area > kLeastOfCharge * whole;
}

}  // namespace

std::optional<Capacitor> fit_capacitor(Readings readings) {
  if (readings.size() < kFewestReadings) return std::nullopt;
  const Lengths range{kShortestInIntervals * interval_of(readings),
                      kLongestInLengths * length_of(readings)};
  const auto [guess, line] = best_length(readings, discharge, range);
  if (!std::isfinite(line.absolute) || guess >= range.longest || line.b == 0.0) {
    return std::nullopt;
  }
  const double count = static_cast<double>(readings.size());
  const auto absolute = [&, first = guess, start = line](std::span<const double> at) {
    const double constant = first * std::exp(at[2] - 1.0);
    double sum = 0.0;
    for (const ticks::Tick& tick : readings) {
      const double e = std::exp(-(tick.time - readings.front().time) / constant);
      sum += std::abs(tick.value - start.a - start.b * (at[0] - 1.0 + at[1] * e));
    }
    return sum / (count * std::abs(start.b));
  };
  numerics::Minimum found{.at = {1.0, 1.0, 1.0}};
  for (int i = 0; i < kSearches; ++i) {
    found = numerics::nelder_mead(absolute, found.at,
                                  {.point_tolerance = 1e-8, .value_tolerance = 1e-12});
  }
  Capacitor fit{.constant = {guess * std::exp(found.at[2] - 1.0), 0.0},
                .from = readings.front().time,
                .end_w = line.a + line.b * (found.at[0] - 1.0),
                .difference_w = found.value * std::abs(line.b)};
  fit.start_w = fit.end_w + line.b * found.at[1];
  fit.constant.standard_uncertainty = uncertainty_of_constant(readings, fit);
  if (!std::isfinite(fit.constant.standard_uncertainty)) return std::nullopt;
  return fit;
}

StepAnswer answer_to_step(Readings readings, const identification::Work& load,
                          double update_period) {
  const Readings curve = curve_of(readings, load.begin, load.end);
  const Readings base = within(readings, load.begin - kBaseLength, load.begin);
  if (curve.size() < kFewestReadings || base.empty()) return {};
  const auto fit = fit_capacitor(curve);
  const double way = curve.back().value - mean_of(base);
  if (way < std::max(kSmallestStep, kSmallestStepInSds * sd_of(base))) return {};
  const bool follows = std::abs(curve.front().value - curve.back().value) < kStillToGo * way;
  if (!fit) return {follows ? StepKind::instant : StepKind::unknown, std::nullopt};
  if (distance_from_ramp(curve) < fit->difference_w) {
    return {follows ? StepKind::instant : StepKind::ramp, std::nullopt};
  }
  if (follows || fit->constant.value < update_period) return {StepKind::instant, std::nullopt};
  if (!discharges(readings, load, fit->constant.value)) return {StepKind::slow_board, std::nullopt};
  return {StepKind::capacitor, fit};
}

}  // namespace truewatt::replication::burtscher
