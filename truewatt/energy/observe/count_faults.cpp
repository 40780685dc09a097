#include "truewatt/energy/observe/count_faults.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "truewatt/energy/observe/physical_limits.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// Mean power of the counts, W, each over `slack` seconds more; 0 where one begins anew.
std::vector<double> rates_of(const std::vector<ObservedReading>& readings, double slack) {
  std::vector<double> rates(readings.size(), 0.0);
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const double length = readings[i].time - readings[i - 1].time + slack;
    if (!readings[i].is_first && length > 0) rates[i] = readings[i].value / length;
  }
  return rates;
}

/// The slowest of the three counts before and behind count `i`, W.
double slowest_beside(const std::vector<double>& rates, std::size_t i) {
  constexpr std::size_t kBeside = 3;
  double slowest = std::numeric_limits<double>::infinity();
  const std::size_t from = i > kBeside ? i - kBeside : 1;
  for (std::size_t k = from; k < rates.size() && k <= i + kBeside; ++k) {
    if (k != i) slowest = std::min(slowest, rates[k]);
  }
  return std::isfinite(slowest) ? slowest : 0.0;
}

/// How many of so many counts are leaps at most; of a counter that leaps more often nothing is
/// known.
std::size_t most_leaps(std::size_t counts) {
  constexpr std::size_t kFewest = 3;
  constexpr std::size_t kOneOf = 100;
  const std::size_t most = std::max(kFewest, counts / kOneOf);
  return counts < 2 * kFewest + most ? 0 : most;
}

/// From which of the rates on, the highest first, they are no leaps; none where too many were.
double leaps_above(std::vector<double> rates, double shown_w) {
  constexpr double kLeap = 1.5;
  const std::size_t most = most_leaps(rates.size());
  if (most == 0) return std::numeric_limits<double>::infinity();
  std::partial_sort(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(most) + 1,
                    rates.end(), std::greater<>());
  for (std::size_t k = most; k > 0; --k) {
    const double bound = kLeap * std::max(shown_w, rates[k]);
    if (rates[k - 1] > bound) return bound;
  }
  return std::numeric_limits<double>::infinity();
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

/// By sample how long the one before had stood when it was last read, s; 0 behind counts that were
/// left out.
std::vector<double> times_stood(const Trace& trace) {
  std::vector<double> stood(trace.samples.size(), 0.0);
  for (std::size_t i = 1; i < stood.size(); ++i) {
    if (!condensed_after(trace, trace.samples[i - 1].seen).empty()) continue;
    stood[i] = seconds_between(trace.samples[i - 1].seen, trace.samples[i].before);
  }
  return stood;
}

/// Longer than between ticks that rows may fall twice between, whatever their rhythm.
double stood_too_long(std::vector<double> stood, double period) {
  constexpr double kHalf = 0.5;   // periods
  constexpr double kOften = 0.9;  // of all counts
  if (stood.empty()) return 0.0;
  const auto usual =
      stood.begin() + static_cast<std::ptrdiff_t>(kOften * static_cast<double>(stood.size() - 1));
  std::nth_element(stood.begin(), usual, stood.end());
  return std::max(kHalf * period + 2 * std::max(0.0, *usual),
                  kSlowestTick + std::min(period, kSlowestTick));
}

}  // namespace

std::vector<PerhapsAnew> begin_anew(std::vector<ObservedReading>& readings, const Trace& trace,
                                    double period, double limit_w) {
  constexpr double kMadeUp = 0.7;  // of what is counted beside in as long, less a period
  constexpr double kUnread = 5.0;  // periods
  const std::vector<double> rates = rates_of(readings, 0.0);
  const std::vector<double> stood = times_stood(trace);
  const double too_long = stood_too_long(stood, period);
  const bool rests = std::any_of(trace.gaps.begin(), trace.gaps.end(),
                                 [](const Gap& gap) { return gap.cause == kNotAsked; });
  std::vector<PerhapsAnew> perhaps;
  for (std::size_t i = 1; i < readings.size(); ++i) {
    const Sample& sample = trace.samples[i];
    const double unread = seconds_between(sample.before, sample.seen);
    const double length = readings[i].time - readings[i - 1].time;
    const double beside_w = slowest_beside(rates, i);
    const bool is_lost =
        stood[i] > too_long && readings[i].value < kMadeUp * beside_w * (length - period);
    const bool may_be_new = !rests && !readings[i].is_first && unread > kUnread * period &&
                            sample.value < most_drawn_in(unread + period, limit_w);
    if (!is_lost && !may_be_new) continue;
    if (may_be_new) perhaps.push_back({i, readings[i].value});
    readings[i].is_first = true;
    readings[i].value = 0.0;
  }
  return perhaps;
}

void leave_out_leaping(ObservedBoard& board) {
  const bool has_others = std::any_of(board.sources.begin(), board.sources.end(),
                                      [](const ObservedSource& s) { return s.leaps.empty(); });
  std::erase_if(board.sources, [&](const ObservedSource& s) {
    const bool is_one =
        !s.leaps.empty() && (has_others || s.leaps.size() > most_leaps(s.readings.size()));
    if (is_one) board.dropped.push_back({s.source, Reason::above_power_limit});
    return is_one;
  });
}

void leave_out_leaps(ObservedBoard& board, double shown_w) {
  constexpr double kLongest = 2.5;  // periods; power may do anything where nobody reads it
  const auto is_counter = [](const ObservedSource& s) { return s.look == Look::counter; };
  const auto power = std::find_if_not(board.sources.begin(), board.sources.end(), is_counter);
  if (power == board.sources.end()) return;
  for (ObservedSource& counter : board.sources) {
    if (!is_counter(counter)) continue;
    // A count may be of one tick more than lies between its readings.
    const double tick = std::min(counter.period, kSlowestTick);
    const std::vector<double> rates = rates_of(counter.readings, tick);
    const double bound = leaps_above(rates, shown_w);
    for (std::size_t i = 1; i < rates.size(); ++i) {
      ObservedReading& count = counter.readings[i];
      const double begin = counter.readings[i - 1].time;
      const bool is_read = count.time - begin <= kLongest * std::max(counter.period, power->period);
      if (rates[i] <= bound || !is_read) continue;
      const double shown = shown_about(*power, begin, count.time) * (count.time - begin);
      board.leaps.push_back({{begin, count.time}, count.value - shown});
      count.is_first = true;
      count.value = 0.0;
    }
  }
}

void note_perhaps(ObservedBoard& board) {
  for (const ObservedSource& counter : board.sources) {
    if (counter.perhaps_anew.empty()) continue;
    const std::vector<double> rates = rates_of(counter.readings, 0.0);
    for (const auto& [i, joules] : counter.perhaps_anew) {
      const double begin = counter.readings[i - 1].time;
      const double end = counter.readings[i].time;
      const double behind = i + 1 < rates.size() ? rates[i + 1] : rates[i - 1];
      const double usual = (rates[i - 1] + behind) / 2 * (end - begin);
      board.leaps.push_back({{begin, end}, std::abs(joules - usual)});
    }
  }
}

}  // namespace truewatt::energy
