#include "truewatt/energy/observe/count_faults.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "truewatt/energy/observe/physical_limits.hpp"

namespace truewatt::energy {
namespace {

constexpr double kSlowestTick = 0.1;  // s, of GPUs' counters

/// Mean power of the counts, W, each over `slack` seconds more; 0 where one begins anew.
std::vector<double> rates_of(const std::vector<ObservedReading>& readings, double slack) {
  std::vector<double> rates(readings.size(), 0.0);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double length = readings[i].time - readings[i - 1].time + slack;
    if (!readings[i].is_first && length > 0) rates[i] = readings[i].value / length;
  }
  return rates;
}

/// What nearly all counts are faster than, W.
double slow_rate(const std::vector<ObservedReading>& readings) {
  constexpr std::size_t kOneOf = 20;
  std::vector<double> rates = rates_of(readings, 0.0);
  std::erase(rates, 0.0);
  if (rates.empty()) return 0.0;
  const auto slow = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / kOneOf);
  std::nth_element(rates.begin(), slow, rates.end());
  return *slow;
}

/// From which of the rates on, the highest first, they are no leaps; none where too many were.
double leaps_above(std::vector<double> rates, double shown_w) {
  constexpr double kLeap = 1.5;
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kOneOf = 100;
  const std::size_t most = std::max(kFewest, rates.size() / kOneOf);
  if (rates.size() < 2 * kFewest + most) return std::numeric_limits<double>::infinity();
  std::partial_sort(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(most) + 1,
                    rates.end(), std::greater<>());
  for (std::size_t k = most; k > 0; --k) {
    const double bound = kLeap * std::max(shown_w, rates[k]);
    if (rates[k - 1] > bound) return bound;
  }
  return std::numeric_limits<double>::infinity();
}

double highest_of(const ObservedSource& power) {
  double highest = 0.0;
  for (const ObservedReading& reading : power.readings) highest = std::max(highest, reading.value);
  return highest;
}

/// Mean of what a power source showed about a stretch, W.
double shown_about(const ObservedSource& power, double begin, double end) {
  double sum = 0.0;
  int count = 0;
  for (const ObservedReading& reading : power.readings) {
    if (reading.time < begin - power.period || reading.time > end + power.period) continue;
    sum += reading.value;
    ++count;
  }
  return count > 0 ? sum / count : 0.0;
}

}  // namespace

std::vector<bool> anew(const Trace& trace, const std::vector<ObservedReading>& readings,
                       double period, double limit_w) {
  constexpr double kStood = 3.0;   // periods
  constexpr double kUnread = 5.0;  // periods
  constexpr double kMadeUp = 0.5;  // of what it counts in as long at least
  const double slow = slow_rate(readings);
  const bool rests = std::any_of(trace.gaps.begin(), trace.gaps.end(),
                                 [](const Gap& gap) { return gap.cause == kNotAsked; });
  std::vector<bool> is_anew(readings.size(), false);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const Sample& sample = trace.samples[i];
    const double stood = seconds_between(trace.samples[i - 1].seen, sample.before);
    const double unread = seconds_between(sample.before, sample.seen);
    const bool lost = stood > kStood * period && readings[i].value < kMadeUp * slow * stood;
    const bool may_be_new = !rests && unread > kUnread * period &&
                            sample.value < most_drawn_in(unread + period, limit_w);
    is_anew[i] = lost || may_be_new;
  }
  return is_anew;
}

void leave_out_leaps(ObservedBoard& board) {
  const auto is_counter = [](const ObservedSource& s) { return s.look == Look::counter; };
  double shown_w = 0.0;
  const ObservedSource* power = nullptr;
  for (const ObservedSource& source : board.sources) {
    if (is_counter(source)) continue;
    shown_w = std::max(shown_w, highest_of(source));
    if (!power) power = &source;
  }
  if (!power) return;
  for (ObservedSource& counter : board.sources) {
    if (!is_counter(counter)) continue;
    // A count may be of one tick more than lies between its readings.
    const double tick = std::min(counter.period, kSlowestTick);
    const std::vector<double> rates = rates_of(counter.readings, tick);
    const double bound = leaps_above(rates, shown_w);
    for (std::size_t i = 1; i < rates.size(); ++i) {
      if (rates[i] <= bound) continue;
      ObservedReading& count = counter.readings[i];
      const double begin = counter.readings[i - 1].time;
      const double shown = shown_about(*power, begin, count.time) * (count.time - begin);
      board.leaps.push_back({{begin, count.time}, count.value - shown});
      count.is_first = true;
      count.value = 0.0;
    }
  }
}

}  // namespace truewatt::energy
