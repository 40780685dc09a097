#include "truewatt/identification/counter/energy_agreement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::identification {
namespace {

constexpr double kStretch = 1.0;             // s
constexpr std::size_t kLongInStretches = 4;  // stretches
constexpr std::size_t kFewestStretches = 8 * kLongInStretches;

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

Running counted(const Published& counter) {
  Running running;
  for (const ticks::Tick& tick : counter.ticks) {
    running.times.push_back(tick.time - counter.late_s);
    running.joules.push_back(tick.value);
  }
  return running;
}

Running summed(const Published& power) {
  const auto& readings = power.ticks;
  Running running;
  double joules = 0.0;
  for (std::size_t i = 0; i < readings.size(); ++i) {
    if (i > 0) joules += readings[i].value * (readings[i].time - readings[i - 1].time);
    running.times.push_back(readings[i].time - power.late_s);
    running.joules.push_back(joules);
  }
  return running;
}

/// Mean square of the sums of `length` errors in a row, which add up to nothing in all: over all
/// such runs, which overlap.
double mean_square(const std::vector<double>& errors, std::size_t length) {
  double squares = 0.0;
  const std::size_t runs = errors.size() - length + 1;
  for (std::size_t i = 0; i < runs; ++i) {
    const auto first = errors.begin() + static_cast<std::ptrdiff_t>(i);
    const double sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(length), 0.0);
    squares += sum * sum;
  }
  const double share = static_cast<double>(length) / static_cast<double>(errors.size());
  return squares / static_cast<double>(runs) / (1.0 - share);
}

/// Standard uncertainty of the sum of the stretches' errors, with few stretches allowed for. What
/// is missed of a stretch adds up, what is only seen late of it is seen in the next.
double uncertainty_of_sum(const std::vector<double>& errors) {
  const auto count = static_cast<double>(errors.size());
  const double of_one = mean_square(errors, 1);
  const double of_long = mean_square(errors, kLongInStretches);
  const double missed =
      std::max(0.0, (of_long - of_one) / (static_cast<double>(kLongInStretches) - 1));
  const double late = std::max(0.0, of_one - missed);
  return numerics::student_widening(count / static_cast<double>(kLongInStretches) - 1) *
         std::sqrt(count * missed + late);
}

}  // namespace

std::optional<EnergyRatio> energy_agreement(const Published& counter, const Published& power) {
  if (counter.ticks.size() < 2 || power.ticks.size() < 2) return std::nullopt;
  const Running by_counter = counted(counter);
  const Running by_power = summed(power);
  if (!std::is_sorted(by_counter.joules.begin(), by_counter.joules.end())) return std::nullopt;
  const double begin = std::max(by_counter.times.front(), by_power.times.front());
  const double end = std::min(by_counter.times.back(), by_power.times.back());
  const double length = end - begin;
  const auto count = static_cast<std::size_t>(std::max(length / kStretch, 0.0));
  if (count < kFewestStretches) return std::nullopt;
  const double counter_j = by_counter.at(end) - by_counter.at(begin);
  const double power_j = by_power.at(end) - by_power.at(begin);
  if (counter_j <= 0 || power_j <= 0) return std::nullopt;
  const double ratio = counter_j / power_j;
  const double stretch = length / static_cast<double>(count);
  const auto difference = [&](std::size_t i) {
    const double time = begin + static_cast<double>(i) * stretch;
    return by_counter.at(time) - ratio * by_power.at(time);
  };
  std::vector<double> errors;
  for (std::size_t i = 0; i < count; ++i) errors.push_back(difference(i + 1) - difference(i));
  return EnergyRatio{interval95({ratio, uncertainty_of_sum(errors) / power_j}), power_j / length};
}

}  // namespace truewatt::identification
