#include "truewatt/energy/validity/validity.hpp"

#include <algorithm>
#include <optional>

#include "truewatt/energy/results/least_power.hpp"
#include "truewatt/trace/condense.hpp"

namespace truewatt::energy {
namespace {

/// Nobody looked for longer than this many update periods: a publication may have been missed.
constexpr double kSilentPeriods = 2.5;
/// ... but the scheduling of a busy machine is not silence.
constexpr Nanoseconds kSilentAtLeast = std::chrono::milliseconds(60);

bool overlaps(HostTime begin, HostTime end, HostTime from, HostTime to) {
  return begin < to && end > from;
}

/// What an event means for energies around it; nothing for one that only a newer program knows.
std::optional<Reason> reason_of_event(const CaptureEvent& event) {
  if (!event.kind.known()) return std::nullopt;
  switch (*event.kind.known()) {
    case EventKind::gpu_lost:
      return Reason::gpu_lost;
    case EventKind::clock_step:
    case EventKind::realtime_step:
      return Reason::clock_step;
    case EventKind::queue_overflow:
    case EventKind::samples_lost:
    case EventKind::driver_hangs:
      return Reason::gap_in_readings;
    case EventKind::driver_slow:
    case EventKind::answers_refused:
    case EventKind::mig_instance:
    case EventKind::source_refused:
    case EventKind::warm_up_began:
    case EventKind::warm_up_ended:
      return std::nullopt;
  }
  return std::nullopt;
}

/// True when the source was left alone on purpose at some time within.
bool rested(const Trace& trace, HostTime begin, HostTime end) {
  return std::any_of(trace.gaps.begin(), trace.gaps.end(), [begin, end](const Gap& gap) {
    return gap.cause == kNotAsked && overlaps(gap.begin, gap.end, begin, end);
  });
}

bool has_gap(const Trace& trace, HostTime from, HostTime window_end, HostTime to, double period_s) {
  for (const Gap& gap : trace.gaps) {
    if (gap.cause != kNotAsked && overlaps(gap.begin, gap.end, from, to)) return true;
  }
  const Nanoseconds longest =
      std::max(kSilentAtLeast, to_nanoseconds(Seconds(kSilentPeriods * period_s)));
  if (trace.end < window_end) return true;
  for (const CondensedStretch& stretch : trace.condensed) {
    if (stretch.longest_silence > longest && overlaps(stretch.begin, stretch.end, from, to)) {
      return true;
    }
  }
  const bool in_ring = comes_in_ring(trace.source);
  for (std::size_t i = 0; i < trace.samples.size(); ++i) {
    const Sample& sample = trace.samples[i];
    // An entry of the ring says when it was published; the silence is between neighbours.
    const HostTime begin =
        in_ring ? (i > 0 ? trace.samples[i - 1].seen : sample.seen) : sample.before;
    const bool silent = sample.seen - begin > longest && overlaps(begin, sample.seen, from, to);
    if (!silent || rested(trace, begin, sample.seen)) continue;
    if (!in_ring || condensed_after(trace, begin).empty()) return true;
  }
  return false;
}

/// A reading in the midst that no board in use draws: the sensor did not measure there.
bool shows_nothing(const Trace& trace, HostTime from, HostTime to) {
  if (counts_energy(trace.source)) return false;
  return std::any_of(trace.samples.begin(), trace.samples.end(), [from, to](const Sample& sample) {
    return sample.value < kDrawsNothing && sample.seen > from && sample.seen <= to;
  });
}

bool has_reset(const Trace& trace, HostTime from, HostTime to) {
  for (const HostTime reset : counter_resets(trace)) {
    if (reset > from && reset <= to) return true;
  }
  return false;
}

bool limit_changed(const Recording& recording, const Window& window) {
  std::optional<std::uint64_t> seen;
  auto health = std::lower_bound(recording.health.begin(), recording.health.end(), window.begin,
                                 [](const HealthSample& h, HostTime t) { return h.time < t; });
  for (; health != recording.health.end() && health->time <= window.end; ++health) {
    if (!health->clocks_event_reasons) continue;
    const std::uint64_t limits = *health->clocks_event_reasons & kLimitingReasons;
    if (seen && *seen != limits) return true;
    seen = limits;
  }
  return false;
}

}  // namespace

std::vector<HostTime> counter_resets(const Trace& trace) {
  std::vector<HostTime> resets;
  if (!counts_energy(trace.source)) return resets;
  for (std::size_t i = 1; i < trace.samples.size(); ++i) {
    if (trace.samples[i].value < trace.samples[i - 1].value) {
      resets.push_back(trace.samples[i].seen);
    }
  }
  return resets;
}

std::vector<Reason> why_window_not_whole(const Recording& recording, const Window& window) {
  std::vector<Reason> reasons;
  for (const CaptureEvent& event : recording.events) {
    const auto reason = reason_of_event(event);
    if (reason && event.time >= window.begin && event.time <= window.end) {
      add_reason(reasons, *reason);
    }
  }
  if (limit_changed(recording, window)) add_reason(reasons, Reason::clocks_limited);
  return reasons;
}

std::vector<Reason> why_not_whole(const Recording& recording, const Trace& trace,
                                  const Window& window, HostTime from, HostTime to,
                                  double period_s) {
  std::vector<Reason> reasons;
  const auto add = [&reasons](Reason reason) { add_reason(reasons, reason); };
  for (const CaptureEvent& event : recording.events) {
    const auto reason = reason_of_event(event);
    if (reason && event.time >= from && event.time <= to) add(*reason);
  }
  if (has_reset(trace, window.begin, window.end)) add(Reason::counter_reset);
  if (has_gap(trace, from, window.end, to, period_s) || shows_nothing(trace, from, to)) {
    add(Reason::gap_in_readings);
  }
  if (limit_changed(recording, window)) add(Reason::clocks_limited);
  return reasons;
}

}  // namespace truewatt::energy
