#include "truewatt/identification/energy_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace truewatt::identification {
namespace {

constexpr double kStretch = 4.0;  // s
constexpr std::size_t kFewest = 8;

/// A running sum of joules at the times of `ticks`.
struct Running {
  std::vector<double> times;
  std::vector<double> joules;

  double at(double time) const {
    const auto next = std::lower_bound(times.begin(), times.end(), time);
    if (next == times.begin()) return joules.front();
    if (next == times.end()) return joules.back();
    const auto i = static_cast<std::size_t>(next - times.begin());
    const double share = (time - times[i - 1]) / (times[i] - times[i - 1]);
    return joules[i - 1] + share * (joules[i] - joules[i - 1]);
  }
};

Running counted(std::span<const energy::Tick> ticks) {
  Running running;
  for (const energy::Tick& tick : ticks) {
    running.times.push_back(tick.time);
    running.joules.push_back(tick.value);
  }
  return running;
}

Running summed(std::span<const energy::Tick> readings) {
  Running running;
  double joules = 0.0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (i > 0) joules += readings[i].value * (readings[i].time - readings[i - 1].time);
    running.times.push_back(readings[i].time);
    running.joules.push_back(joules);
  }
  return running;
}

}  // namespace

std::optional<Interval> energy_agreement(std::span<const energy::Tick> counter,
                                         std::span<const energy::Tick> power) {
  if (counter.size() < 2 || power.size() < 2) return std::nullopt;
  const Running by_counter = counted(counter);
  const Running by_power = summed(power);
  if (!std::is_sorted(by_counter.joules.begin(), by_counter.joules.end())) return std::nullopt;
  const double begin = std::max(counter.front().time, power.front().time);
  const double end = std::min(counter.back().time, power.back().time);
  const double length = end - begin;
  const auto count = static_cast<std::size_t>(std::max(length / kStretch, 0.0));
  if (count < kFewest) return std::nullopt;
  const double stretch = length / static_cast<double>(count);
  const auto edge = [&](std::size_t i) { return begin + static_cast<double>(i) * stretch; };
  const double counter_j = by_counter.at(end) - by_counter.at(begin);
  const double power_j = by_power.at(end) - by_power.at(begin);
  if (counter_j <= 0 || power_j <= 0) return std::nullopt;
  const double ratio = counter_j / power_j;
  double squares = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double without = (counter_j - by_counter.at(edge(i + 1)) + by_counter.at(edge(i))) /
                           (power_j - by_power.at(edge(i + 1)) + by_power.at(edge(i)));
    squares += (without - ratio) * (without - ratio);
  }
  const double stretches = static_cast<double>(count);
  const double sd = std::sqrt(squares * (stretches - 1) / stretches);
  return interval95({ratio, sd});
}

}  // namespace truewatt::identification
