#include "truewatt/trace/formats/utc_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "truewatt/base/time_span.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::minutes;

constexpr Nanoseconds kPromptStart = std::chrono::minutes(1);
constexpr double kClearShareOfRange = 0.2;
/// A log whose power moves less than this tells nothing about when a load ran.
constexpr double kTellingRangeWatts = 2.0;

/// The logs' axis is the log's local time taken for UTC; here it is compared with REALTIME stamps.
DriverTime as_stamp(HostTime time) { return DriverTime(time.time_since_epoch()); }

/// Where the logs begin and end, in their own local time.
std::optional<DriverSpan> span_of(std::span<const Recording> logs) {
  std::optional<DriverSpan> span;
  for (const Recording& log : logs) {
    for (const Trace& trace : log.traces) {
      if (trace.samples.empty()) continue;
      const DriverSpan one{as_stamp(trace.begin), as_stamp(trace.end)};
      if (!span) span = one;
      span = DriverSpan{std::min(span->begin, one.begin), std::max(span->end, one.end)};
    }
  }
  return span;
}

/// Energy of a trace as a function of time, its readings held, for many quick differences.
class HeldEnergy {
 public:
  explicit HeldEnergy(const Trace& trace) : trace_(trace) {
    double joules = 0.0;
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      if (i > 0) joules += reach(i - 1, trace.samples[i].seen);
      until_.push_back(joules);
    }
  }
  /// Joules from the trace's begin to `time`, which is clamped to the trace.
  double at(HostTime time) const {
    const HostTime inside = std::clamp(time, trace_.begin, trace_.end);
    const auto after =
        std::upper_bound(trace_.samples.begin(), trace_.samples.end(), inside,
                         [](HostTime t, const Sample& sample) { return t < sample.seen; });
    const auto i = static_cast<std::size_t>(after - trace_.samples.begin());
    return i == 0 ? 0.0 : until_[i - 1] + reach(i - 1, inside);
  }
  double seconds_to(HostTime time) const {
    return seconds_between(trace_.begin, std::clamp(time, trace_.begin, trace_.end));
  }

 private:
  double reach(std::size_t sample, HostTime to) const {
    return trace_.samples[sample].value * seconds_between(trace_.samples[sample].seen, to);
  }

  const Trace& trace_;
  std::vector<double> until_;
};

/// Mean power while the load ran minus mean power outside, had the log been written at `offset`.
double contrast(const Trace& trace, const HeldEnergy& energy, std::span<const DriverTime> edges,
                minutes offset) {
  double on_joules = 0.0;
  double on_seconds = 0.0;
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    const HostTime begin(edges[i].time_since_epoch() + offset);
    const HostTime end(edges[i + 1].time_since_epoch() + offset);
    on_joules += energy.at(end) - energy.at(begin);
    on_seconds += energy.seconds_to(end) - energy.seconds_to(begin);
  }
  const double off_seconds = energy.seconds_to(trace.end) - on_seconds;
  if (on_seconds <= 0.0 || off_seconds <= 0.0) return 0.0;
  return on_joules / on_seconds - (energy.at(trace.end) - on_joules) / off_seconds;
}

double range_of(const Trace& trace) {
  const auto [low, high] =
      std::minmax_element(trace.samples.begin(), trace.samples.end(),
                          [](const Sample& a, const Sample& b) { return a.value < b.value; });
  return high->value - low->value;
}

/// The power trace that moves most over all logs: that GPU ran the load, if one did.
const Trace* liveliest(std::span<const Recording> logs) {
  const Trace* best = nullptr;
  double best_range = kTellingRangeWatts;
  for (const Recording& log : logs) {
    for (const Trace& trace : log.traces) {
      if (trace.samples.empty() || counts_energy(trace.source)) continue;
      if (range_of(trace) <= best_range) continue;
      best_range = range_of(trace);
      best = &trace;
    }
  }
  return best;
}

std::optional<minutes> choose_by_power(std::span<const Recording> logs,
                                       std::span<const DriverTime> edges,
                                       const std::vector<minutes>& possible) {
  const Trace* const trace = liveliest(logs);
  if (trace == nullptr) return std::nullopt;
  const HeldEnergy energy(*trace);
  double best = -std::numeric_limits<double>::max();
  double second = best;
  minutes chosen{0};
  for (const minutes offset : possible) {
    const double found = contrast(*trace, energy, edges, offset);
    second = std::max(second, std::min(found, best));
    if (found > best) chosen = offset;
    best = std::max(best, found);
  }
  const bool clear = best > 0.0 && best - second > kClearShareOfRange * range_of(*trace);
  return clear ? std::optional(chosen) : std::nullopt;
}

std::optional<minutes> choose_by_start(DriverSpan span, DriverTime first_event,
                                       const std::vector<minutes>& possible) {
  std::optional<minutes> chosen;
  for (const minutes offset : possible) {
    const Nanoseconds lead = first_event + offset - span.begin;
    if (lead > kPromptStart) continue;
    if (chosen) return std::nullopt;
    chosen = offset;
  }
  return chosen;
}

std::vector<minutes> covering_offsets(DriverSpan span, std::span<const DriverTime> edges) {
  std::vector<minutes> possible;
  for (minutes offset = kLowestUtcOffset; offset <= kHighestUtcOffset; offset += kUtcOffsetStep) {
    const bool begins = span.begin <= edges.front() + offset + kCoverageSlack;
    const bool ends = span.end >= edges.back() + offset - kCoverageSlack;
    if (begins && ends) possible.push_back(offset);
  }
  return possible;
}

std::string list(const std::vector<minutes>& offsets) {
  std::string text;
  for (const minutes offset : offsets) {
    text += (text.empty() ? "" : ", ") + format_utc_offset(offset);
  }
  return text;
}

}  // namespace

std::string format_utc_offset(minutes offset) {
  const auto count = offset.count();
  const auto magnitude = count < 0 ? -count : count;
  return fmt::format("{}{:02}:{:02}", count < 0 ? '-' : '+', magnitude / 60, magnitude % 60);
}

Result<minutes> align_utc_offset(std::span<const Recording> logs,
                                 std::span<const DriverTime> edges) {
  const auto span = span_of(logs);
  if (!span || edges.empty()) {
    return Unexpected(Errc::insufficient_data,
                      "the log's offset from UTC cannot be found without readings and event "
                      "stamps; give it with --utc-offset");
  }
  const std::vector<minutes> possible = covering_offsets(*span, edges);
  if (possible.empty()) {
    return Unexpected(Errc::invalid_argument,
                      "at no offset from UTC does the log cover the event stamps; are they of the "
                      "same run? Otherwise give --utc-offset");
  }
  if (possible.size() == 1) return possible.front();
  if (const auto chosen = choose_by_power(logs, edges, possible)) return *chosen;
  if (const auto chosen = choose_by_start(*span, edges.front(), possible)) return *chosen;
  return Unexpected(Errc::ill_conditioned,
                    fmt::format("the log covers the event stamps at several offsets from UTC ({}); "
                                "choose one with --utc-offset",
                                list(possible)));
}

}  // namespace truewatt::trace
