#include "truewatt/energy/estimate/source_proportions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "truewatt/energy/observe/sum_steps.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::energy {
namespace {

/// The first reading at or behind a time, but for the very first.
std::size_t first_from(const std::vector<ObservedReading>& readings, double time) {
  const auto at =
      std::lower_bound(readings.begin(), readings.end(), time,
                       [](const ObservedReading& reading, double t) { return reading.time < t; });
  return std::max<std::size_t>(1, static_cast<std::size_t>(at - readings.begin()));
}

/// What a counter counted between its first and last reading within a window.
struct Counted {
  CourseWindow span;
  double joules = 0.0;
};

Counted counted_within(const ObservedSource& counter, const CourseWindow& window) {
  Counted counted{{window.end, window.end}};
  const auto& readings = counter.readings;
  for (std::size_t i = first_from(readings, window.begin);
       i < readings.size() && readings[i].time <= window.end; ++i) {
    if (readings[i - 1].time < window.begin) continue;
    if (readings[i].is_first || counted.joules == 0.0) counted = {{readings[i - 1].time}, 0.0};
    if (!readings[i].is_first) counted.joules += readings[i].value;
    counted.span.end = readings[i].time;
  }
  return counted;
}

/// What a counter counted and a power source showed in a stretch.
struct Stretch {
  CourseWindow span;
  double counted = 0.0;
  double shown = 0.0;
  double swing = 0.0;   ///< W, by how much the readings in it and beside it differ
  double coarse = 0.0;  ///< s, the longest sum that the power source's readings are kept as
};

/// The recording in stretches of many readings of both.
std::vector<Stretch> stretches_of(const ObservedSource& counter, const ObservedSource& power) {
  constexpr double kShortest = 5.0;         // s
  constexpr double kFewestReadings = 10.0;  // of each
  const double length =
      std::max(kShortest, kFewestReadings * std::max(counter.period, power.period));
  std::vector<Stretch> stretches;
  const double range = swing_of(power);
  auto first = power.readings.begin();
  auto about = first;
  Stretch now{{counter.readings.front().time, counter.readings.front().time}};
  for (const ObservedReading& reading : counter.readings) {
    if (reading.is_first) {
      now = Stretch{{reading.time, reading.time}};
      continue;
    }
    now.counted += reading.value;
    now.span.end = reading.time;
    while (about != power.readings.end() && about->time < reading.time) ++about;
    if (about != power.readings.end()) now.coarse = std::max(now.coarse, about->span);
    const double enough = std::max(length, kFewestReadings * now.coarse);
    if (now.span.end - now.span.begin < enough) continue;
    while (first != power.readings.end() && first->time < now.span.begin - power.period) ++first;
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (auto at = first; at != power.readings.end(); ++at) {
      if (at->time > now.span.end + power.period) break;
      least = std::min(least, at->value);
      most = std::max(most, at->value);
      if (at->span > 0)
        now.swing = std::max(now.swing, steps_of_sum(at->span_sd, at->span / power.period));
    }
    now.swing = std::min(range, std::max(now.swing, most - least));
    now.shown = shown_within(power, now.span);
    if (now.shown > 0) stretches.push_back(now);
    now = Stretch{{reading.time, reading.time}};
  }
  return stretches;
}

/// Stretches in which a counter and a power source are in another proportion than in most.
void add_contradictions(const ObservedSource& counter, const ObservedSource& power,
                        std::vector<CourseWindow>& found) {
  constexpr double kRelative = 0.03;
  constexpr double kOffset = 2.0;  // W
  constexpr std::size_t kFewest = 4;
  const std::vector<Stretch> stretches = stretches_of(counter, power);
  if (stretches.size() < kFewest) return;
  std::vector<double> ratios;
  for (const Stretch& one : stretches) ratios.push_back(one.counted / one.shown);
  const double usual = *numerics::median(std::move(ratios));
  const double back = power.period + power.window + power.time_constant + counter.period;
  for (const Stretch& one : stretches) {
    const double sd = numerics::quadrature({kRelative * one.counted, kRelative * one.shown,
                                            kOffset * (one.span.end - one.span.begin),
                                            (back + one.coarse) * one.swing});
    if (std::abs(one.counted - usual * one.shown) > kDisagree * sd) found.push_back(one.span);
  }
}

}  // namespace

double swing_of(const ObservedSource& power) {
  const auto [least, most] = std::minmax_element(
      power.readings.begin(), power.readings.end(),
      [](const ObservedReading& a, const ObservedReading& b) { return a.value < b.value; });
  return most->value - least->value;
}

double shown_within(const ObservedSource& source, const CourseWindow& span) {
  double joules = 0.0;
  const auto& readings = source.readings;
  for (std::size_t i = first_from(readings, span.begin);
       i < readings.size() && readings[i - 1].time < span.end; ++i) {
    const double from = std::max(readings[i - 1].time, span.begin);
    const double to = std::min(readings[i].time, span.end);
    const bool is_mean = readings[i].span > 0;
    const double before = is_mean ? readings[i].value : readings[i - 1].value;
    if (to > from) joules += (before + readings[i].value) / 2 * (to - from);
  }
  return joules;
}

bool counted_and_shown_differ(const ObservedBoard& board, const CourseWindow& window) {
  constexpr double kFewest = 4.0;          // periods
  constexpr double kRelativeOffset = 5.0;  // W
  const auto differs = [&](const ObservedSource& counter, const ObservedSource& power) {
    const auto [span, counted] = counted_within(counter, window);
    const double length = span.end - span.begin;
    if (!(length > kFewest * std::max(counter.period, power.period))) return false;
    const double shown = shown_within(power, span);
    // At its edges a window is shown as late as the source looks back.
    const double back = power.period + power.window + power.time_constant;
    const double edges = back * swing_of(power);
    const double sd = numerics::quadrature(
        {kRelativeGain * counted, kRelativeGain * shown, kRelativeOffset * length, edges});
    return std::abs(counted - shown) > kDisagree * sd;
  };
  for (const ObservedSource& counter : board.sources) {
    if (counter.look != Look::counter) continue;
    for (const ObservedSource& power : board.sources) {
      if (power.look != Look::counter && differs(counter, power)) return true;
    }
  }
  return false;
}

std::vector<CourseWindow> contradictions_of(const ObservedBoard& board) {
  std::vector<CourseWindow> found;
  for (const ObservedSource& counter : board.sources) {
    if (counter.look != Look::counter || counter.is_characterized) continue;
    for (const ObservedSource& power : board.sources) {
      const bool is_unknown = power.look != Look::counter && !power.is_characterized;
      if (is_unknown) add_contradictions(counter, power, found);
    }
  }
  return found;
}

}  // namespace truewatt::energy
