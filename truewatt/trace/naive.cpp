#include "truewatt/trace/naive.hpp"

#include <algorithm>

#include "truewatt/trace/condense.hpp"

namespace truewatt::trace {
namespace {

/// First sample seen later than `time`.
auto first_after(const Trace& trace, HostTime time) {
  return std::upper_bound(trace.samples.begin(), trace.samples.end(), time,
                          [](HostTime t, const Sample& sample) { return t < sample.seen; });
}

/// A plain poller looks at least this often in a window.
constexpr int kFewestLooks = 5;
/// What a source shows on being woken so soon after a time is taken for what it showed then.
constexpr Nanoseconds kSoonAfter = std::chrono::milliseconds(50);

/// What the counter showed at `time`; nothing when it was left alone then.
std::optional<double> shown_at(const Trace& trace, HostTime time) {
  const auto next = first_after(trace, time);
  if (next == trace.samples.begin()) return std::nullopt;
  for (const Gap& gap : trace.gaps) {
    if (gap.cause != kNotAsked || time < gap.begin || time >= gap.end) continue;
    const bool soon = next != trace.samples.end() && next->seen - time < kSoonAfter;
    return soon ? std::optional(next->value) : std::nullopt;
  }
  return std::prev(next)->value;
}

/// True when the source rested too long for its held readings to be those of a plain poller.
bool rested_long(const Trace& trace, const Window& window) {
  const Nanoseconds longest = (window.end - window.begin) / kFewestLooks;
  return std::any_of(trace.gaps.begin(), trace.gaps.end(), [&](const Gap& gap) {
    const HostTime from = std::max(gap.begin, window.begin);
    const HostTime to = std::min(gap.end, window.end);
    return gap.cause == kNotAsked && to - from > longest;
  });
}

/// Of a window whose edges are in none of the stretches that are kept as sums.
Joules held_energy(const Trace& trace, const Window& window) {
  Joules sum{0};
  HostTime from = window.begin;
  double shown = 0.0;
  const auto show = [&](HostTime seen, double value) {
    shown = value;
    for (const CondensedStretch& stretch : condensed_after(trace, seen)) {
      if (stretch.begin >= window.end) break;
      shown = stretch.last_w;
      if (stretch.begin < window.begin) continue;
      sum += Joules(stretch.held_j);
      from = stretch.end;
    }
  };
  auto next = first_after(trace, window.begin);
  show(std::prev(next)->seen, std::prev(next)->value);
  for (; next != trace.samples.end() && next->seen < window.end; ++next) {
    sum += Watts(shown) * (next->seen - from);
    from = next->seen;
    show(next->seen, next->value);
  }
  return sum + Watts(shown) * (window.end - from);
}

}  // namespace

bool held_throughout(const Trace& trace, const Window& window) {
  if (trace.samples.empty() || trace.end < window.end || window.end < window.begin) return false;
  if (first_after(trace, window.begin) == trace.samples.begin()) return false;
  if (is_condensed_at(trace, window.begin) || is_condensed_at(trace, window.end)) return false;
  return counts_energy(trace.source) || !rested_long(trace, window);
}

std::optional<Joules> naive_energy(const Trace& trace, const Window& window) {
  if (!held_throughout(trace, window)) return std::nullopt;
  if (!counts_energy(trace.source)) return held_energy(trace, window);
  const auto at_begin = shown_at(trace, window.begin);
  const auto at_end = shown_at(trace, window.end);
  if (!at_begin || !at_end || *at_end < *at_begin) return std::nullopt;
  return Joules(*at_end - *at_begin);
}

std::optional<Watts> mean_held_power(const Trace& trace, HostTime begin, HostTime end) {
  if (counts_energy(trace.source) || !(begin < end)) return std::nullopt;
  const auto energy = naive_energy(trace, {begin, end, ""});
  if (!energy) return std::nullopt;
  return *energy / (end - begin);
}

}  // namespace truewatt::trace
