#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "truewatt/energy/observe/frozen_readings.hpp"
#include "truewatt/energy/results/least_power.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// A stretch in which a source showed one value: `late` and more from its ends, and from gaps, what
/// other readings show is of the time in which it stood.
struct Hold {
  const Trace& trace;
  HostTime begin;
  HostTime end;
  Nanoseconds late;

  HostTime from() const { return begin + late; }
  HostTime until() const { return end - late; }
  bool holds(HostTime time) const {
    const auto gap = std::upper_bound(trace.gaps.begin(), trace.gaps.end(), time - late,
                                      [](HostTime at, const Gap& one) { return at < one.end; });
    return gap == trace.gaps.end() || gap->begin >= time;
  }
};

/// What two values in a row reach: one alone may be a mistake.
class Range {
 public:
  void add(double value) {
    if (last_) {
      lowest_ = std::min(lowest_, std::max(*last_, value));
      highest_ = std::max(highest_, std::min(*last_, value));
    }
    last_ = value;
  }
  double lowest() const { return lowest_; }
  double highest() const { return highest_; }

 private:
  std::optional<double> last_;
  double lowest_ = std::numeric_limits<double>::infinity();
  double highest_ = -std::numeric_limits<double>::infinity();
};

/// Whether the device was seen idle and at work.
bool tells_work(const Recording& recording, const Hold& hold) {
  constexpr double kIdle = 5.0;  // %
  constexpr double kWork = 50.0;
  constexpr double kAsleep = 8.0;  // P-states
  constexpr double kAwake = 2.0;
  constexpr double kClocks = 2.0;  // times
  Range utilization;
  Range p_state;
  Range clock;
  auto sample = std::lower_bound(recording.health.begin(), recording.health.end(), hold.from(),
                                 [](const HealthSample& one, HostTime t) { return one.time < t; });
  for (; sample != recording.health.end() && sample->time <= hold.until(); ++sample) {
    if (!hold.holds(sample->time)) continue;
    if (sample->utilization_percent) utilization.add(*sample->utilization_percent);
    if (sample->p_state) p_state.add(*sample->p_state);
    if (sample->sm_clock_mhz) clock.add(*sample->sm_clock_mhz);
  }
  return (utilization.lowest() <= kIdle && utilization.highest() >= kWork) ||
         (p_state.lowest() <= kAwake && p_state.highest() >= kAsleep) ||
         clock.highest() >= kClocks * clock.lowest();
}

/// Seconds between polls.
double mean_poll(const Trace& trace) {
  if (trace.polls < 2) return 0.0;
  return seconds_between(trace.begin, trace.end) / static_cast<double>(trace.polls - 1);
}

/// Whether another source shows half as much again at one time as at another, beyond the coarsest
/// steps that sensors have.
bool rises(const Trace& other, const Hold& hold) {
  constexpr double kRise = 1.5;
  constexpr double kCoarsest = 10.0;  // W
  // Counts are of a tick more or less.
  const Nanoseconds step = std::min(to_nanoseconds(Seconds(std::max(1.0, 2 * mean_poll(other)))),
                                    hold.until() - hold.from() + Nanoseconds(1));
  const bool counts = counts_energy(other.source);
  Range power;
  const Sample* last = nullptr;
  auto next = std::upper_bound(other.samples.begin(), other.samples.end(), hold.from(),
                               [](HostTime t, const Sample& one) { return t < one.seen; });
  for (HostTime t = hold.from(); t <= std::min(hold.until(), other.end); t += step) {
    while (next != other.samples.end() && next->seen <= t) ++next;
    if (next == other.samples.begin()) continue;
    const Sample& shown = *(next - 1);
    if (!hold.holds(t)) {
      last = nullptr;
      continue;
    }
    if (!counts) power.add(shown.value);
    if (counts && last && last->seen < shown.seen) {
      power.add((shown.value - last->value) / seconds_between(last->seen, shown.seen));
    }
    if (!last || last->seen < shown.seen) last = &shown;
  }
  return power.highest() >= kRise * power.lowest() && power.highest() - power.lowest() > kCoarsest;
}

bool is_contradicted(const Recording& recording, const Hold& hold) {
  if (tells_work(recording, hold)) return true;
  return std::any_of(recording.traces.begin(), recording.traces.end(), [&hold](const Trace& other) {
    return other.source.scope == hold.trace.source.scope && &other != &hold.trace &&
           rises(other, hold);
  });
}

}  // namespace

std::vector<Gap> frozen_stretches(const Recording& recording, const Trace& trace) {
  constexpr double kFewest = 10.0;  // polls
  // Utilization is read once a second and of the second before; an average is over a second.
  constexpr double kLate = 2.0;  // s
  std::vector<Gap> frozen;
  if (counts_energy(trace.source) || comes_in_ring(trace.source)) return frozen;
  const double polled = mean_poll(trace);
  const Seconds late{std::max(kLate, 2 * polled)};
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    const HostTime begin = trace.samples[i].seen;
    HostTime end = trace.end;
    if (i + 1 < trace.samples.size()) end = trace.samples[i + 1].before;
    const double stood = seconds_between(begin, end);
    if (stood <= 2 * late.count() || stood < kFewest * polled) continue;
    if (trace.samples[i].value <= kDrawsNothing) continue;  // is no reading anyway
    const bool is_condensed = !condensed_after(trace, begin).empty();
    if (!is_condensed && is_contradicted(recording, {trace, begin, end, to_nanoseconds(late)})) {
      frozen.push_back({begin, end, "frozen"});
    }
  }
  return frozen;
}

}  // namespace truewatt::energy
