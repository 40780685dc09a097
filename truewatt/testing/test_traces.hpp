#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

#include "truewatt/trace/trace.hpp"

namespace truewatt {

/// A driver's ring of samples.
inline constexpr SourceId kRing{SourceKind::power_samples, Scope::gpu};

inline HostTime at(double seconds) { return HostTime(to_nanoseconds(Seconds(seconds))); }

/// What a poller with brackets of `bracket` seconds sees of a source that publishes
/// value(tick time) every `period` from `first` to `last`.
inline Trace make_trace(SourceId source, double first, double last, double period,
                        const std::function<double(double)>& value, double bracket = 0.0005) {
  Trace trace{.source = source, .begin = at(first - period / 2), .end = at(last + period / 2)};
  trace.samples.push_back({trace.begin, trace.begin, std::nullopt, value(first - period)});
  for (int k = 0; first + k * period <= last + 1e-9; ++k) {
    const double tick = first + k * period;
    trace.samples.push_back(
        {at(tick - bracket / 2), at(tick + bracket / 2), std::nullopt, value(tick)});
  }
  return trace;
}

/// 100 W, and 300 W over [begin, end]: its counter, 1 mJ resolution, counting from 1 kJ.
inline std::function<double(double)> step_counter(double begin, double end) {
  return [begin, end](double t) {
    const double busy = std::clamp(t, begin, end) - begin;
    return std::round((1000 + 100 * t + 200 * busy) * 1e3) / 1e3;
  };
}

inline std::function<double(double)> step_power(double begin, double end) {
  return [begin, end](double t) { return t > begin && t <= end ? 300.0 : 100.0; };
}

inline constexpr SourceId kCounter{SourceKind::energy_counter, Scope::gpu};
inline constexpr SourceId kInstant{SourceKind::power_instant, Scope::gpu};

/// 100 W and 300 W over [3, 5] s by a power source, and a counter that counts `times` as much from
/// 4 s on.
inline Recording counted_times(double times) {
  const auto right = step_counter(3, 5);
  const auto counted = [right, times](double t) {
    return right(t) + (t > 4 ? (times - 1) * (right(t) - right(4)) : 0.0);
  };
  Recording recording;
  recording.traces = {make_trace(kCounter, 0.1, 8.0, 0.1, counted),
                      make_trace(kInstant, 0.1, 8.0, 0.1, step_power(3, 5))};
  return recording;
}

}  // namespace truewatt
