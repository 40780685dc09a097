#include "truewatt/energy/naive.hpp"

#include <algorithm>

namespace truewatt::energy {
namespace {

/// First sample seen later than `time`.
auto first_after(const Trace& trace, HostTime time) {
  return std::upper_bound(trace.samples.begin(), trace.samples.end(), time,
                          [](HostTime t, const Sample& sample) { return t < sample.seen; });
}

Joules held_energy(const Trace& trace, const Window& window) {
  Joules sum{0};
  HostTime from = window.begin;
  auto next = first_after(trace, window.begin);
  for (; next != trace.samples.end() && next->seen < window.end; ++next) {
    sum += Watts(std::prev(next)->value) * (next->seen - from);
    from = next->seen;
  }
  return sum + Watts(std::prev(next)->value) * (window.end - from);
}

}  // namespace

std::optional<Joules> naive_energy(const Trace& trace, const Window& window) {
  if (trace.samples.empty() || trace.end < window.end || window.end < window.begin) {
    return std::nullopt;
  }
  const auto at_begin = first_after(trace, window.begin);
  if (at_begin == trace.samples.begin()) return std::nullopt;
  if (!counts_energy(trace.source)) return held_energy(trace, window);
  const auto at_end = first_after(trace, window.end);
  const double difference = std::prev(at_end)->value - std::prev(at_begin)->value;
  if (difference < 0) return std::nullopt;
  return Joules(difference);
}

std::optional<Watts> mean_held_power(const Trace& trace, HostTime begin, HostTime end) {
  if (counts_energy(trace.source) || !(begin < end)) return std::nullopt;
  const auto energy = naive_energy(trace, {begin, end, ""});
  if (!energy) return std::nullopt;
  return *energy / (end - begin);
}

}  // namespace truewatt::energy
