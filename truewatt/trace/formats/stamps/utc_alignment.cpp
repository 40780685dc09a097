#include "truewatt/trace/formats/stamps/utc_alignment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "truewatt/base/format.hpp"
#include "truewatt/base/time_span.hpp"

namespace truewatt::trace {
namespace {

using std::chrono::minutes;

constexpr Nanoseconds kPromptStart = std::chrono::minutes(1);
/// Work that explains less of the power around it is none that shows: that of half of a window.
constexpr double kLeastShare = 0.33;
/// An offset whose work explains so much of what the best one's does is no worse.
constexpr double kClearShare = 0.2;
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

/// `2025-06-12 14:03:20`
std::string to_the_second(DriverTime time) {
  std::string text = format_utc(time);
  text.resize(text.find('.'));
  text[text.find('T')] = ' ';
  return text;
}

/// Integrals of a trace's readings, held, and of their squares.
struct Moments {
  double seconds = 0.0;
  double sum = 0.0;
  double squares = 0.0;

  Moments& operator+=(const Moments& other) {
    seconds += other.seconds;
    sum += other.sum;
    squares += other.squares;
    return *this;
  }
  double mean() const { return sum / seconds; }
};

/// Moments over any stretch of a trace, for many quick differences.
class HeldMoments {
 public:
  explicit HeldMoments(const Trace& trace) : trace_(trace) {
    Moments all;
    until_.reserve(trace.samples.size());
    for (std::size_t i = 0; i < trace.samples.size(); ++i) {
      if (i > 0) all += reach(i - 1, trace.samples[i].seen);
      until_.push_back(all);
    }
  }
  Moments between(HostTime begin, HostTime end) const {
    Moments part = at(end);
    const Moments before = at(begin);
    part += {-before.seconds, -before.sum, -before.squares};
    return part;
  }

 private:
  /// From the trace's begin to `time`, which is clamped to the trace.
  Moments at(HostTime time) const {
    const HostTime inside = std::clamp(time, trace_.begin, trace_.end);
    const auto after =
        std::upper_bound(trace_.samples.begin(), trace_.samples.end(), inside,
                         [](HostTime t, const Sample& sample) { return t < sample.seen; });
    const auto i = static_cast<std::size_t>(after - trace_.samples.begin());
    if (i == 0) return {};
    Moments all = until_[i - 1];
    all += reach(i - 1, inside);
    return all;
  }
  Moments reach(std::size_t sample, HostTime to) const {
    const double watts = trace_.samples[sample].value;
    const double seconds = seconds_between(trace_.samples[sample].seen, to);
    return {seconds, watts * seconds, watts * watts * seconds};
  }

  const Trace& trace_;
  std::vector<Moments> until_;
};

/// Which share of the scatter of power in and around the work is explained by the work, had the log
/// been written at `offset`: 1 for a block of steady work in steady idle however much it draws, 0
/// where power is not higher in it. Around: half of each stretch's length, or of the pause.
double share_explained(const HeldMoments& moments, std::span<const DriverTime> edges,
                       minutes offset) {
  Moments on;
  Moments off;
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    const HostTime begin(edges[i].time_since_epoch() + offset);
    const HostTime end(edges[i + 1].time_since_epoch() + offset);
    const Nanoseconds length = (end - begin) / 2;
    const Nanoseconds before = i == 0 ? length : std::min(length, (edges[i] - edges[i - 1]) / 2);
    const Nanoseconds after =
        i + 2 >= edges.size() ? length : std::min(length, (edges[i + 2] - edges[i + 1]) / 2);
    on += moments.between(begin, end);
    off += moments.between(begin - before, begin);
    off += moments.between(end, end + after);
  }
  if (on.seconds <= 0.0 || off.seconds <= 0.0) return 0.0;
  if (on.mean() - off.mean() < kTellingRangeWatts) return 0.0;
  Moments all = on;
  all += off;
  const double scatter = all.squares - all.mean() * all.sum;
  const double apart = on.mean() - off.mean();
  const double explained = apart * apart * on.seconds * off.seconds / all.seconds;
  return scatter > 0.0 ? explained / scatter : 0.0;
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

/// Those under which the events lie on a block of work about as well as under any.
std::vector<minutes> fitting_by_power(std::span<const Recording> logs,
                                      std::span<const DriverTime> edges,
                                      const std::vector<minutes>& possible) {
  const Trace* const trace = liveliest(logs);
  if (trace == nullptr) return {};
  const HeldMoments moments(*trace);
  std::vector<double> shares;
  for (const minutes offset : possible) shares.push_back(share_explained(moments, edges, offset));
  const double best = *std::max_element(shares.begin(), shares.end());
  std::vector<minutes> fitting;
  for (std::size_t i = 0; i < possible.size(); ++i) {
    if (best > kLeastShare && shares[i] > kClearShare * best) fitting.push_back(possible[i]);
  }
  return fitting;
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

/// Whether some country's clocks are or were lately that far from UTC.
bool is_in_use(minutes offset) {
  constexpr std::array<int, 13> kOfParts{-570, -210, -150, 210, 270, 330, 345,
                                         390,  525,  570,  630, 765, 825};
  const auto count = static_cast<int>(offset.count());
  return count % 60 == 0 || std::find(kOfParts.begin(), kOfParts.end(), count) != kOfParts.end();
}

std::vector<minutes> covering_offsets(DriverSpan span, std::span<const DriverTime> edges) {
  std::vector<minutes> possible;
  for (minutes offset = kLowestUtcOffset; offset <= kHighestUtcOffset; offset += kUtcOffsetStep) {
    const bool begins = span.begin <= edges.front() + offset + kCoverageSlack;
    const bool ends = span.end >= edges.back() + offset - kCoverageSlack;
    if (begins && ends && is_in_use(offset)) possible.push_back(offset);
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
                      fmt::format("the events ({} to {} UTC) lie outside the log ({} to {} in its "
                                  "own time), whatever its offset from UTC; are they of the same "
                                  "run? With --utc-offset they are placed all the same",
                                  to_the_second(edges.front()), to_the_second(edges.back()),
                                  to_the_second(span->begin), to_the_second(span->end)));
  }
  if (possible.size() == 1) return possible.front();
  const std::vector<minutes> fitting = fitting_by_power(logs, edges, possible);
  if (fitting.size() == 1) return fitting.front();
  if (fitting.empty()) {
    if (const auto chosen = choose_by_start(*span, edges.front(), possible)) return *chosen;
  }
  const bool fits = !fitting.empty();
  return Unexpected(
      Errc::ill_conditioned,
      fmt::format("the log {} the windows at several offsets from UTC ({}); choose one with "
                  "--utc-offset",
                  fits ? "has work at" : "covers", list(fits ? fitting : possible)));
}

}  // namespace truewatt::trace
