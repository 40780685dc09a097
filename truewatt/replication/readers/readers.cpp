#include "truewatt/replication/readers/readers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string_view>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/base/time_span.hpp"
#include "truewatt/numerics/summary.hpp"
#include "truewatt/replication/readers/power_readings.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::replication {
namespace {

/// 66.7 Hz (papers 001, section 4.3, and 002, section IV-A).
constexpr Nanoseconds kSmaPoll = std::chrono::milliseconds(15);
/// "Nearly 2 kHz" (Arafa 2020, section IV-C).
constexpr Nanoseconds kMtsmPoll = std::chrono::microseconds(500);
/// Burtscher 2014, section 5: of all K20 tested. A K20X's sensor has none (section 6.4).
constexpr double kK20Capacitor = 0.84;  // s
/// The authors' tool counts from 55 W on, 2.5 W above their active idle ...
constexpr double kAboveActiveIdle = 2.5;  // W
/// ... and where a load is faint, from so much of its step on.
constexpr double kMostOfStep = 0.1;
/// Active idle is looked for in the margin outside the window.
constexpr double kLookBeside = kIdleMargin.count();  // s

/// What polls are shown, asked for in order of time; of readings that are kept as sums the mean.
class HeldReadings {
 public:
  HeldReadings(const Trace& trace, HostTime from)
      : trace_(trace),
        next_(std::upper_bound(
            trace.samples.begin(), trace.samples.end(), from,
            [](HostTime time, const Sample& sample) { return time < sample.seen; })),
        sums_(std::upper_bound(
            trace.condensed.begin(), trace.condensed.end(), from,
            [](HostTime time, const CondensedStretch& sums) { return time < sums.end; })),
        shown_(next_ == trace.samples.begin() ? 0.0 : std::prev(next_)->value) {}

  double at(HostTime poll) {
    while (next_ != trace_.samples.end() && next_->seen <= poll) shown_ = next_++->value;
    const auto& sums = trace_.condensed;
    while (sums_ != sums.end() && sums_->end <= poll) ++sums_;
    if (sums_ != sums.end() && sums_->begin <= poll) {
      return sums_->held_j / seconds_between(sums_->begin, sums_->end);
    }
    const bool behind = sums_ != sums.begin() && next_ != trace_.samples.begin() &&
                        std::prev(sums_)->end > std::prev(next_)->seen;
    return behind ? std::prev(sums_)->last_w : shown_;
  }

 private:
  const Trace& trace_;
  std::vector<Sample>::const_iterator next_;
  std::vector<CondensedStretch>::const_iterator sums_;
  double shown_;
};

/// Mean of what was held at `first`, `first` + `step`, ... before `end`; nothing without a poll.
std::optional<Watts> mean_of_polls(const Trace& trace, HostTime first, HostTime end,
                                   Nanoseconds step) {
  if (first >= end) return std::nullopt;
  double sum = 0.0;
  std::size_t count = 0;
  HeldReadings readings(trace, first);
  for (HostTime poll = first; poll < end; poll += step) {
    sum += readings.at(poll);
    ++count;
  }
  return Watts(sum / static_cast<double>(count));
}

std::optional<Joules> times(std::optional<Watts> power, Nanoseconds length) {
  if (!power) return std::nullopt;
  return *power * length;
}

/// Its polls began with the capture's and know nothing of the window.
std::optional<Joules> background_polls(const Trace& trace, const Window& window) {
  const auto before = (window.begin - trace.begin) / kSmaPoll;
  HostTime first = trace.begin + before * kSmaPoll;
  if (first < window.begin) first += kSmaPoll;
  return times(mean_of_polls(trace, first, window.end, kSmaPoll), window.end - window.begin);
}

std::optional<Joules> reading_at_end(const Trace& trace, const Window& window) {
  const bool rested = std::any_of(trace.gaps.begin(), trace.gaps.end(), [&](const Gap& gap) {
    return gap.cause == kNotAsked && gap.begin <= window.end && window.end < gap.end;
  });
  if (rested) return std::nullopt;
  return times(mean_of_polls(trace, window.end, window.end + Nanoseconds(1), kMtsmPoll),
               window.end - window.begin);
}

/// The parts of the window in which work is known to have run.
std::vector<Window> work_in(const Recording& recording, const Window& window) {
  std::vector<Window> work;
  for (const ActivityInterval& interval : recording.activity) {
    const HostTime begin = std::max(interval.begin, window.begin);
    const HostTime end = std::min(interval.end, window.end);
    if (begin < end) work.push_back({begin, end, ""});
  }
  if (work.empty()) work.push_back(window);
  return work;
}

void gated_polls(energy::ReaderEnergy& result, const Trace& trace, const Recording& recording,
                 const Window& window) {
  Joules sum{0};
  result.over = Seconds(0);
  for (const Window& work : work_in(recording, window)) {
    const auto part =
        times(mean_of_polls(trace, work.begin, work.end, kMtsmPoll), work.end - work.begin);
    if (!part) return;
    sum += *part;
    result.over += Seconds(work.end - work.begin);
  }
  result.energy = sum;
}

/// 0 of a source without a capacitor; nothing where its constant is not known.
std::optional<double> known_constant(const Profile* profile, SourceId source) {
  const SourceProfile* known = profile ? find_source(*profile, source) : nullptr;
  if (known == nullptr || known->response.empty()) return std::nullopt;
  if (known->response != ResponseClass::exponential) return 0.0;
  if (!known->time_constant_s) return std::nullopt;
  return known->time_constant_s->value;
}

/// What a fit found that did not resolve it.
std::optional<double> fitted_constant(const Profile* profile, SourceId source) {
  const SourceProfile* known = profile ? find_source(*profile, source) : nullptr;
  if (known == nullptr || !known->fitted) return std::nullopt;
  return std::max(0.0, known->fitted->time_constant_s.value);
}

/// A K20, K20c or K20m; not a K20X, nor a Quadro K2000.
bool is_k20(std::string_view name) {
  const auto at = name.find("K20");
  if (at == std::string_view::npos) return false;
  const std::string_view rest = name.substr(at + 3, 1);
  return rest.find_first_of("0123456789xX") == std::string_view::npos;
}

double capacitor_of(const Recording& recording, SourceId source,
                    const energy::Knowledge& knowledge) {
  if (const auto found = known_constant(knowledge.profile, source)) return *found;
  if (const auto published = known_constant(knowledge.published, source)) return *published;
  if (is_k20(recording.device.name)) return kK20Capacitor;
  return fitted_constant(knowledge.profile, source).value_or(0.0);
}

std::optional<double> median_between(Readings power, double from, double until) {
  std::vector<double> values;
  for (const ticks::Tick& tick : within(power, from, until)) values.push_back(tick.value);
  const auto summary = numerics::summarize(values);
  return summary ? std::optional(summary->median) : std::nullopt;
}

/// Other work ends before this and begins again after that, seconds after `origin`.
SecondsSpan alone_around(const Recording& recording, const Window& window, HostTime origin) {
  SecondsSpan alone{seconds_between(origin, window.begin) - kLookBeside,
                    seconds_between(origin, window.end) + kLookBeside};
  for (const ActivityInterval& interval : recording.activity) {
    if (interval.end <= window.begin) {
      alone.begin = std::max(alone.begin, seconds_between(origin, interval.end));
    }
    if (interval.begin >= window.end) {
      alone.end = std::min(alone.end, seconds_between(origin, interval.begin));
    }
  }
  return alone;
}

void corrected_readings(energy::ReaderEnergy& result, const Trace& trace,
                        const Recording& recording, const Window& window,
                        const energy::Knowledge& knowledge) {
  const auto period = ticks::update_period(ticks::publications(trace, trace.begin));
  if (!period) return;
  const auto readings = new_readings(trace, trace.begin, period->value);
  const auto power = corrected(readings, capacitor_of(recording, trace.source, knowledge));
  const double begin = seconds_between(trace.begin, window.begin);
  const double end = seconds_between(trace.begin, window.end);
  const SecondsSpan alone = alone_around(recording, window, trace.begin);
  // The readings that straddle an edge show a part of both sides.
  const double edge = 2 * period->value;
  auto active_idle = median_between(power, end + edge, alone.end);
  if (!active_idle) active_idle = median_between(power, alone.begin, begin);
  const auto load = median_between(power, begin, end);
  if (!active_idle || !load) return;
  const double gate =
      *active_idle + std::min(kAboveActiveIdle, kMostOfStep * std::max(0.0, *load - *active_idle));
  const GatedEnergy gated = energy_above(power, std::max(alone.begin, begin - edge),
                                         std::min(alone.end, end + kLookBeside), gate);
  result.energy = Joules(gated.joules);
  result.over = Seconds(gated.seconds);
  // The slopes of readings that are kept as sums cancel. Where these cross the gate, nobody knows
  // which of them count.
  for (const CondensedStretch& stretch : trace.condensed) {
    if (stretch.begin < window.begin || stretch.end > window.end) continue;
    if (stretch.highest_w <= gate) continue;
    if (stretch.lowest_w <= gate) {
      result.energy.reset();
      return;
    }
    *result.energy += Joules(stretch.read_j);
    result.over += Seconds(seconds_between(stretch.begin_tick, stretch.end_tick));
  }
}

}  // namespace

const Trace* trace_to_read(const Recording& recording) {
  for (const SourceKind kind : kKindsPolled) {
    const Trace* trace = find_trace(recording, {kind, Scope::gpu});
    if (trace != nullptr && !trace->samples.empty()) return trace;
  }
  return nullptr;
}

energy::ReaderEnergy read_as(energy::Reader reader, const Recording& recording,
                             const Window& window, const energy::Knowledge& knowledge) {
  energy::ReaderEnergy result{.reader = reader, .over = Seconds(window.end - window.begin)};
  const Trace* trace = trace_to_read(recording);
  if (trace == nullptr) return result;
  result.source = trace->source;
  if (!trace::held_throughout(*trace, window)) return result;
  switch (reader) {
    case energy::Reader::naive:
      result.energy = trace::naive_energy(*trace, window);
      break;
    case energy::Reader::sma:
      result.energy = background_polls(*trace, window);
      break;
    case energy::Reader::papi:
      result.energy = reading_at_end(*trace, window);
      break;
    case energy::Reader::mtsm:
      gated_polls(result, *trace, recording, window);
      break;
    case energy::Reader::k20power:
      corrected_readings(result, *trace, recording, window, knowledge);
      break;
    case energy::Reader::yang:
      break;
  }
  return result;
}

}  // namespace truewatt::replication
