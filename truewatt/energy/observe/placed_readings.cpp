#include "truewatt/energy/observe/placed_readings.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "truewatt/energy/observe/count_faults.hpp"
#include "truewatt/energy/observe/frozen_readings.hpp"
#include "truewatt/energy/observe/physical_limits.hpp"
#include "truewatt/energy/observe/sum_steps.hpp"
#include "truewatt/energy/observe/tick_phases.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/robust.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// Boards are not known to publish less often; a log may be read less often than that.
constexpr double kUsualPeriod = 0.1;  // s
/// What a ring's reading may be off its grid by, s.
constexpr double kOnGrid = 0.5e-3;
/// A stamp belongs to the tick up to three quarters of a period before it, or a quarter behind it.
constexpr double kEarly = 0.25;

/// What is kept as sums, each a mean over its stretch: known as well as readings that step as these
/// do tell what lies between them.
void add_sums(const Trace& trace, HostTime origin, std::vector<ObservedReading>& readings) {
  for (const CondensedStretch& sums : trace.condensed) {
    const double begin = seconds_between(origin, sums.begin_tick);
    const double end = seconds_between(origin, sums.end_tick);
    const auto n = static_cast<double>(sums.readings);
    if (!(end > begin) || !(n > 0)) continue;
    const double sd = sum_sd(sums.squared_steps, n);
    readings.push_back(
        {.time = end, .value = sums.read_j / (end - begin), .span = end - begin, .span_sd = sd});
  }
  std::stable_sort(readings.begin(), readings.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });
}

std::vector<ObservedReading> ring_readings(const Trace& trace, HostTime origin, double period) {
  std::vector<double> stamps;
  for (const Sample& sample : trace.samples) {
    stamps.push_back(
        (seconds_between(origin, sample.before) + seconds_between(origin, sample.seen)) / 2);
  }
  TickPhases phases = tick_phases(stamps, period);
  // By how much the period is longer than was thought, the phases' drift says.
  const double ticks = phases.number.empty() ? 0.0 : phases.number.back() - phases.number.front();
  if (ticks > 2 * static_cast<double>(kPhasesAtOnce)) {
    const double inside =
        ticks - static_cast<double>(kPhasesAtOnce);  // medians are of their middles
    period += (phases.of_grid.back() - phases.of_grid.front()) / inside;
    phases = tick_phases(stamps, period);
  }
  std::vector<double> number;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    number.push_back(std::floor((stamps[i] - phases.of_grid[i]) / period + kEarly));
  }
  std::vector<ObservedReading> readings;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    const double time = phases.of_grid[i] + number[i] * period;
    if (!readings.empty() && time < readings.back().time + period / 2) {
      // Two of one tick: the earlier one belongs to the tick before, where that is free.
      const bool is_free = readings.size() < 2 ||
                           readings.back().time - readings[readings.size() - 2].time > 1.5 * period;
      if (!is_free) continue;
      readings.back().time -= period;
    }
    readings.push_back({time, kOnGrid, trace.samples[i].value});
  }
  add_sums(trace, origin, readings);
  return readings;
}

/// Whether nobody looked at `time`.
bool is_unread(const Trace& trace, HostTime time) {
  const auto gap = std::upper_bound(trace.gaps.begin(), trace.gaps.end(), time,
                                    [](HostTime at, const Gap& one) { return at < one.end; });
  return gap != trace.gaps.end() && gap->begin < time;
}

/// The mean distance between polls, or the usual one where that is less: of a log with a hole.
double polled_every(const Trace& trace) {
  if (trace.polls < 2) return 0.0;
  const double mean =
      seconds_between(trace.begin, trace.end) / static_cast<double>(trace.polls - 1);
  std::vector<double> brackets;
  for (const Sample& sample : trace.samples) {
    if (sample.seen > sample.before)
      brackets.push_back(seconds_between(sample.before, sample.seen));
  }
  constexpr std::size_t kFewest = 5;
  if (brackets.size() < kFewest) return mean;
  return std::min(mean, *numerics::median(std::move(brackets)));
}

/// Steps so large that a sensor may show the same again and again: that says nothing of its period,
/// unless what it shows changes in a rhythm, and not only from one of a few levels to another.
bool hides_period(const Trace& trace, double quantum, const Interval& period, double polled) {
  constexpr double kCoarse = 0.5;  // W
  constexpr double kRhythm = 0.005;
  constexpr std::size_t kOfEach = 3;
  if (quantum < kCoarse || period.value <= 2 * polled) return false;
  std::set<double> levels;
  for (const Sample& sample : trace.samples) levels.insert(sample.value);
  return kOfEach * levels.size() < trace.samples.size() ||
         period.upper - period.lower > 2 * kRhythm * period.value;
}

double call_of(const Sample& sample) { return sample.call ? Seconds(*sample.call).count() : 0.0; }

/// When a value came that was first seen at `seen` and not yet at `before`, by a sensor that
/// publishes every `period`. The call that showed it may have read it as early as at its begin, as
/// where the poller lost its processor meanwhile.
ObservedReading reading_at(double before, double seen, double period, double value,
                           double call = 0.0) {
  const double from = std::max(before, seen - call - period);
  return {(from + seen) / 2, (seen - from) / std::sqrt(12.0), value};
}

std::vector<ObservedReading> power_readings(const Trace& trace, HostTime origin,
                                            double sensor_period, double spacing, bool by_call) {
  // What stood for longer than all polls together show was not looked at.
  constexpr double kPerPoll = 4.0;
  double most = kPerPoll * static_cast<double>(trace.polls);
  std::vector<ObservedReading> readings;
  const std::vector<bool> frozen = frozen_samples(trace, spacing);
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    const Sample& sample = trace.samples[i];
    const double seen = seconds_between(origin, sample.seen);
    const double before = by_call ? seen - call_of(sample) : seconds_between(origin, sample.before);
    // The first stood there already when polling began.
    readings.push_back(reading_at(i == 0 ? seen - sensor_period : before, seen, sensor_period,
                                  sample.value, call_of(sample)));
    const bool is_last = i + 1 == trace.samples.size();
    const HostTime until = is_last ? trace.end : trace.samples[i + 1].before;
    if (frozen[i] || !condensed_after(trace, sample.seen).empty()) continue;
    // It stood until then: so it was published again, with the same value, while somebody looked.
    const double end = seconds_between(origin, until);
    ObservedReading held = readings.back();
    const double repeats = std::max(0.0, (end - held.time) / spacing);
    if (repeats > most) continue;
    most -= repeats;
    while (held.time + 1.5 * spacing < end) {
      held.time += spacing;
      if (!is_unread(trace, origin + to_nanoseconds(Seconds(held.time)))) readings.push_back(held);
    }
  }
  add_sums(trace, origin, readings);
  return readings;
}

/// When each value of a counter came that publishes every `period`, known to `period_sd`.
class CountPlaces {
 public:
  CountPlaces(const Trace& trace, HostTime origin, double period, double period_sd)
      : trace_(trace),
        samples_(trace.samples),
        origin_(origin),
        period_(period),
        period_sd_(period_sd) {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (is_told(i)) told_.push_back((seen(i) + before(i)) / 2);
    }
    phases_ = tick_phases(told_, period, period_sd);
  }

  /// Of reading `i`, and of readings in their order; `last` is the reading before it.
  ObservedReading place(std::size_t i, const ObservedReading* last) {
    if (is_told(i) || told_.empty()) return at_bracket(i);
    while (near_ + 1 < told_.size() && told_[near_ + 1] <= seen(i)) ++near_;
    if (i + 1 < samples_.size() && is_told(i + 1) && stands_until_next(i)) {
      // It stood until the next came, so it is of the tick before, also where that one came while
      // a call was under way that still showed this one.
      const double next = (before(i + 1) + seen(i + 1)) / 2;
      const bool is_near = told_[near_] >= next || near_ + 1 == told_.size();
      return {tick_until(next - period_ / 2, is_near ? near_ : near_ + 1), period_ / 20, 0.0};
    }
    // The last tick at which it can have come; each reading is of a tick of its own, also where
    // the grid puts that a little behind the poll that saw it.
    double time = tick_until(seen(i), near_);
    if (last && time - last->time < period_ / 2) time = std::min(time + period_, seen(i));
    // Of the tick before, perhaps, where the call that showed it was under way at this one.
    const double early = std::max(time - tick_until(seen(i) - call_of(samples_[i]), near_), 0.0);
    // The grid was last seen at `near_`.
    const double moved = std::abs(seen(i) - told_[near_]) / period_ * period_sd_;
    return {
        time - early / 2,
        numerics::quadrature({period_ / 20, early / 2, std::min(moved, period_ / std::sqrt(12.0))}),
        0.0};
  }

 private:
  /// The last tick until then, by the grid about one that was told.
  double tick_until(double time, std::size_t told) const {
    const double phase = phases_.of_grid[told];
    return phase + std::floor((time - phase) / period_) * period_;
  }
  double seen(std::size_t i) const { return seconds_between(origin_, samples_[i].seen); }
  /// The first stood there already when polling began.
  double before(std::size_t i) const {
    return i == 0 ? seen(0) - period_ : seconds_between(origin_, samples_[i].before);
  }
  /// Whether reading `i` was seen to come.
  bool is_told(std::size_t i) const { return seen(i) - before(i) < period_ / 2; }
  /// Not where others came between them, which were left out.
  bool stands_until_next(std::size_t i) const {
    return condensed_after(trace_, samples_[i].seen).empty();
  }
  ObservedReading at_bracket(std::size_t i) const {
    return reading_at(before(i), seen(i), period_, 0.0, call_of(samples_[i]));
  }

  const Trace& trace_;
  const std::vector<Sample>& samples_;
  HostTime origin_;
  double period_;
  double period_sd_;
  std::vector<double> told_;  ///< middles of the brackets that tell a time
  TickPhases phases_;
  std::size_t near_ = 0;
};

void add_counts(Placed& placed, const Trace& trace, HostTime origin, double limit_w,
                double period_sd) {
  std::vector<ObservedReading>& readings = placed.readings;
  CountPlaces places(trace, origin, placed.sensor_period, period_sd);
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    ObservedReading reading = places.place(i, i == 0 ? nullptr : &readings.back());
    reading.is_first = i == 0;
    if (i > 0) {
      reading.value = trace.samples[i].value - trace.samples[i - 1].value;
      const double longest = reading.time - readings.back().time + placed.period;
      const bool leaps = reading.value > most_drawn_in(longest, limit_w);
      if (leaps) placed.leaps.push_back({readings.back().time, reading.time});
      reading.is_first = reading.value < 0 || leaps;
      if (reading.is_first) reading.value = 0.0;
    }
    readings.push_back(reading);
  }
  placed.perhaps_anew = begin_anew(readings, trace, placed.period, limit_w);
}

double quantum_of(const Trace& trace) {
  const bool counter = counts_energy(trace.source);
  const auto divides = [&trace](double quantum) {
    return std::all_of(trace.samples.begin(), trace.samples.end(), [&](const Sample& sample) {
      const double steps = sample.value / quantum;
      return std::abs(steps - std::round(steps)) < 1e-3;
    });
  };
  constexpr int kDecades = 6;
  // Few values may all be multiples of many watts by chance.
  constexpr std::size_t kManyValues = 4;
  std::set<double> values;
  for (const Sample& sample : trace.samples) {
    if (values.insert(sample.value).second && values.size() >= kManyValues) break;
  }
  double decade = counter ? 1.0 : values.size() < kManyValues ? 10.0 : 100.0;
  for (int i = 0; i < kDecades; ++i, decade /= 10) {
    for (const double share : {1.0, 0.5, 0.25, 0.2}) {
      if (divides(share * decade)) return share * decade;
    }
  }
  return 0.0;
}

/// Whether a source was left alone on purpose between times at which it was asked often.
bool rests(const Trace& trace) {
  return std::any_of(trace.gaps.begin(), trace.gaps.end(),
                     [](const Gap& gap) { return gap.cause == kNotAsked; });
}

/// Of a sensor that was watched and of which nothing shows how often it publishes: no less often
/// than two of its values came.
double slowest_period(const Trace& trace) {
  constexpr double kSlowest = 1.0;  // s
  double period = kSlowest;
  for (std::size_t i = 2; i < trace.samples.size(); ++i) {
    period = std::min(period, seconds_between(trace.samples[i - 1].seen, trace.samples[i].seen));
  }
  return std::max(period, kUsualPeriod);
}

/// Whether a value came between a lower and a higher one, as where a mean over a period is taken in
/// which the power changed. A sensor whose values go from level to level at once looks for a
/// moment.
bool shows_part_of_steps(const Trace& trace) {
  constexpr double kPart = 0.1;  // of a step
  for (std::size_t i = 1; i + 1 < trace.samples.size(); ++i) {
    const double before = trace.samples[i - 1].value;
    const double step = trace.samples[i + 1].value - before;
    const double part = step == 0 ? 0.0 : (trace.samples[i].value - before) / step;
    if (part > kPart && part < 1 - kPart) return true;
  }
  return false;
}

/// How well readings are placed, usually, s.
double usual_time_sd(const std::vector<ObservedReading>& readings) {
  std::vector<double> sds;
  for (const ObservedReading& reading : readings) sds.push_back(reading.time_sd);
  return numerics::median(std::move(sds)).value_or(0.0);
}

/// `polled`: what polled_every() says of the trace.
std::optional<Interval> seen_period_of(const Trace& trace, HostTime origin, double polled) {
  const auto seen = ticks::update_period(ticks::publications(trace, origin));
  if (!seen || counts_energy(trace.source) || comes_in_ring(trace.source)) return seen;
  // The middle between two rows, one of which has no reading, lies half a row off the others.
  constexpr double kShorter = 0.75;
  const bool is_of_rows = seen->value < kShorter * polled;
  return is_of_rows || hides_period(trace, quantum_of(trace), *seen, polled) ? std::nullopt : seen;
}

}  // namespace

std::optional<Interval> seen_period(const Trace& trace, HostTime origin) {
  return seen_period_of(trace, origin, polled_every(trace));
}

Placed placed_readings(const Trace& trace, HostTime origin, double known_period, double limit_w,
                       bool by_call) {
  Placed placed{.quantum = quantum_of(trace)};
  const double polled = polled_every(trace);
  const auto seen = seen_period_of(trace, origin, polled);
  const double own = seen ? seen->value : 0.0;
  if (comes_in_ring(trace.source)) {
    placed.period = own > 0 ? own : known_period > 0 ? known_period : 0.02;
    placed.sensor_period = placed.period;
    placed.readings = ring_readings(trace, origin, placed.period);
    return placed;
  }
  double sensor = known_period > 0 ? known_period : own > 0 ? own : kUsualPeriod;
  // A log may be read less often than the sensor publishes.
  const bool is_log = polled > 0.75 * sensor && !rests(trace);
  if (known_period <= 0 && is_log) sensor = std::min(sensor, kUsualPeriod);
  double unseen = 0.0;  // s, of when each value came
  if (known_period <= 0 && own <= 0 && !is_log) {
    const double slowest = slowest_period(trace);
    if (counts_energy(trace.source) || shows_part_of_steps(trace)) {
      sensor = slowest;
    } else {
      unseen = (slowest - sensor) / std::sqrt(12.0);
      placed.alike_sd = (slowest - sensor) / 2;
    }
  }
  placed.sensor_period = sensor;
  placed.is_log = is_log && known_period <= 0;
  if (counts_energy(trace.source)) {
    placed.period = is_log ? std::max(sensor, polled) : sensor;
    const bool is_told = known_period <= 0 && seen && sensor == own;
    add_counts(placed, trace, origin, limit_w,
               is_told ? (seen->upper - seen->lower) / (2 * kCoverageFactor95) : 0.0);
  } else {
    placed.period = std::max(sensor, polled);
    placed.readings = power_readings(trace, origin, sensor, placed.period, by_call);
    for (ObservedReading& reading : placed.readings) {
      reading.time_sd = numerics::quadrature({reading.time_sd, unseen});
    }
  }
  // Polls about as far apart as ticks, or a multiple of it, keep step with them for long, as do
  // costly ones that are planned around ticks: all see theirs as late.
  constexpr double kMany = 4.0;  // a tick
  const bool are_few = is_log || (unseen == 0 && kMany * polled > sensor);
  if (are_few) placed.alike_sd = usual_time_sd(placed.readings);
  // Polls closer than half a tick tell the grid of ticks.
  constexpr double kTellsGrid = 0.4;  // of a tick
  if (counts_energy(trace.source) && polled > kTellsGrid * sensor && !rests(trace)) {
    placed.drift_sd = std::min(polled, kSlowestTick) / std::sqrt(12.0);
  }
  return placed;
}

}  // namespace truewatt::energy
