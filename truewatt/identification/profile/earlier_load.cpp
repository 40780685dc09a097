#include "truewatt/identification/profile/earlier_load.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/numerics/robust.hpp"

namespace truewatt::identification {
namespace {

using Readings = std::span<const ticks::Tick>;

/// Clocks may disagree by so much, s (identification/fit/joint_fit.hpp: the least delay).
constexpr double kEarly = 20e-3;
/// One reading that stood for the whole margin shows idle.
constexpr double kStands = kIdleMargin.count();  // s
constexpr std::size_t kFewestIdle = 3;
constexpr std::size_t kNearest = 5;
constexpr double kIdleShare = 0.01;  // of the step
constexpr double kByChance = 4.0;    // standard deviations of a reading

/// Standard deviation of a reading by second differences, in which what is left of an earlier load
/// hardly shows (median of |N(0, 1)| = 0.6745, and their variance is that of six readings).
double scatter(Readings readings) {
  std::vector<double> differences;
  for (std::size_t i = 2; i < readings.size(); ++i) {
    differences.push_back(
        std::abs(readings[i].value - 2 * readings[i - 1].value + readings[i - 2].value));
  }
  return numerics::median(std::move(differences)).value_or(0.0) / (0.6745 * std::sqrt(6.0));
}

/// The end of the reading's bracket, s.
double latest(const ticks::Tick& reading) {
  return reading.time + std::sqrt(3.0) * reading.time_sd;
}

double level_of(Readings readings) {
  std::vector<double> values;
  for (const ticks::Tick& reading : readings.last(std::min(kNearest, readings.size()))) {
    values.push_back(reading.value);
  }
  return numerics::median(std::move(values)).value_or(0.0);
}

}  // namespace

double asked_from(const Recording& recording, HostTime origin) {
  std::optional<double> first;
  for (const Trace& trace : recording.traces) {
    if (comes_in_ring(trace.source) || trace.samples.empty()) continue;
    const double begin = seconds_between(origin, trace.begin);
    first = std::min(first.value_or(begin), begin);
  }
  return first.value_or(-std::numeric_limits<double>::infinity());
}

std::vector<ticks::Tick> without_earlier_load(Readings readings, std::span<const Work> work,
                                              double asked) {
  if (work.empty()) return {};
  const auto at = [&readings](double time) {
    return std::partition_point(readings.begin(), readings.end(),
                                [time](const ticks::Tick& tick) { return tick.time < time; });
  };
  const auto known = at(asked);
  auto worked = std::max(known, at(work.front().begin - kEarly));
  // A bracket that holds the begin may be of a reading after it.
  while (worked != known && latest(*(worked - 1)) > work.front().begin) --worked;
  const Readings before(known, worked);
  if (before.size() < kFewestIdle) {
    // What stood all the time that somebody looked is idle.
    const bool stood = work.front().begin - asked >= kStands && before.size() <= 1;
    return stood ? std::vector<ticks::Tick>(known, readings.end()) : std::vector<ticks::Tick>();
  }
  const double idle = level_of(before);
  double step = 0.0;
  for (const ticks::Tick& reading : Readings(worked, readings.end())) {
    step = std::max(step, std::abs(reading.value - idle));
  }
  const double allowed = std::max(kIdleShare * step, kByChance * scatter(before));
  const auto is_idle = [&](const ticks::Tick& tick) {
    return std::abs(tick.value - idle) <= allowed;
  };
  const auto last_other = std::find_if_not(before.rbegin(), before.rend(), is_idle);
  const auto count = static_cast<std::size_t>(last_other - before.rbegin());
  if (count < kFewestIdle) return {};
  return {worked - static_cast<std::ptrdiff_t>(count), readings.end()};
}

}  // namespace truewatt::identification
