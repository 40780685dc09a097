#include "truewatt/replication/readers/power_readings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace truewatt::replication {
namespace {

/// Slope of the least-squares line through the readings.
double slope_of(Readings readings) {
  const auto count = static_cast<double>(readings.size());
  double time = 0.0;
  double value = 0.0;
  for (const ticks::Tick& tick : readings) {
    time += tick.time / count;
    value += tick.value / count;
  }
  double together = 0.0;
  double spread = 0.0;
  for (const ticks::Tick& tick : readings) {
    together += (tick.time - time) * (tick.value - value);
    spread += (tick.time - time) * (tick.time - time);
  }
  return together / spread;
}

}  // namespace

Readings within(Readings readings, double from, double until) {
  const auto before = [](const ticks::Tick& tick, double time) { return tick.time < time; };
  const auto begin = std::lower_bound(readings.begin(), readings.end(), from, before);
  return {begin, std::lower_bound(begin, readings.end(), until, before)};
}

std::vector<ticks::Tick> new_readings(const Trace& trace, HostTime origin, double update_period) {
  const std::vector<ticks::Tick> changes = ticks::publications(trace, origin);
  const auto silent = [&](double from, double until) {
    return std::any_of(trace.gaps.begin(), trace.gaps.end(), [&](const Gap& gap) {
      return seconds_between(origin, gap.begin) < until && seconds_between(origin, gap.end) > from;
    });
  };
  std::vector<ticks::Tick> readings;
  for (const ticks::Tick& change : changes) {
    if (!readings.empty() && change.follows) {
      const ticks::Tick before = readings.back();
      const double stood = change.time - before.time;
      const auto updates = static_cast<int>(std::lround(stood / update_period));
      const int more = updates > 1 && !silent(before.time, change.time) ? updates - 1 : 0;
      for (int i = 1; i <= more; ++i) {
        readings.push_back({before.time + stood * i / updates, update_period, before.value});
      }
    }
    readings.push_back(change);
  }
  return readings;
}

std::vector<ticks::Tick> corrected(Readings readings, double constant, std::size_t neighbours) {
  std::vector<ticks::Tick> result(readings.begin(), readings.end());
  for (std::size_t i = 1; i + 1 < readings.size(); ++i) {
    const std::size_t reach = std::min({neighbours, i, readings.size() - 1 - i});
    const ticks::Tick& before = readings[i - 1];
    const ticks::Tick& after = readings[i + 1];
    if (!readings[i].follows || !after.follows) continue;
    const double slope = reach > 1 ? slope_of(readings.subspan(i - reach, 2 * reach + 1))
                                   : (after.value - before.value) / (after.time - before.time);
    result[i].value += constant * slope;
  }
  return result;
}

double energy_of(Readings readings, double from, double until) {
  return energy_above(readings, from, until, -std::numeric_limits<double>::infinity()).joules;
}

GatedEnergy energy_above(Readings readings, double from, double until, double threshold_w) {
  GatedEnergy sum;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const ticks::Tick& a = readings[i - 1];
    const ticks::Tick& b = readings[i];
    const double begin = std::max(a.time, from);
    const double end = std::min(b.time, until);
    if (end <= begin || !b.follows || a.value <= threshold_w || b.value <= threshold_w) continue;
    const double slope = (b.value - a.value) / (b.time - a.time);
    sum.joules += (end - begin) * (a.value + slope * ((begin + end) / 2 - a.time));
    sum.seconds += end - begin;
  }
  return sum;
}

}  // namespace truewatt::replication
