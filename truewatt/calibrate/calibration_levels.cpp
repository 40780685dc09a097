#include "truewatt/calibrate/calibration_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "truewatt/base/idle_margin.hpp"
#include "truewatt/calibrate/plateau.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::calibrate {
namespace {

using namespace std::chrono_literals;

/// The idle that is averaged before a load: no more than the margin that is kept there.
constexpr Nanoseconds kIdleLength = to_nanoseconds(kIdleMargin);
constexpr Nanoseconds kShortestIdle = 500ms;
/// Between idle and load: a source's stamp may be late by a poll.
constexpr Nanoseconds kBeforeLoad = 20ms;
/// An average over a second, and as long again for the board's active idle.
constexpr Nanoseconds kSettling = 2s;
constexpr Nanoseconds kAveraging = 1s;
/// Idle that changes by more than this share of itself is none.
constexpr double kUnsteady = 0.1;
/// Parts of a level whose scatter says how well its mean is known.
constexpr int kParts = 5;

HostTime middle(const Sample& sample) { return sample.before + (sample.seen - sample.before) / 2; }

/// Mean power that a counter shows from its first to its last tick within the span.
std::optional<Watts> counted_power(const Trace& trace, const HostSpan& span) {
  const auto inside = [&span](const Sample& sample) {
    return sample.before >= span.begin && sample.seen <= span.end;
  };
  const auto first = std::find_if(trace.samples.begin(), trace.samples.end(), inside);
  const auto last = std::find_if(trace.samples.rbegin(), trace.samples.rend(), inside);
  if (first == trace.samples.end() || middle(*first) >= middle(*last)) return std::nullopt;
  return Joules(last->value - first->value) / (middle(*last) - middle(*first));
}

std::optional<Watts> mean_shown_power(const Trace& trace, const HostSpan& span) {
  return counts_energy(trace.source) ? counted_power(trace, span)
                                     : trace::mean_held_power(trace, span.begin, span.end);
}

std::optional<CalibrationLevel> mean_over(const Trace& trace, const trace::MeterTrace& meter,
                                          const HostSpan& span) {
  const auto sensor = mean_shown_power(trace, span);
  const auto metered = mean_metered_power(meter, span);
  if (!sensor || !metered) return std::nullopt;
  return CalibrationLevel{sensor->value(), metered->value()};
}

/// Standard uncertainty of the mean of sensor minus meter, from equal parts of the span.
double scatter_of(const Trace& trace, const trace::MeterTrace& meter, const HostSpan& span) {
  std::vector<double> differences;
  const Nanoseconds length = span.length();
  for (int i = 0; i < kParts; ++i) {
    const HostSpan part{span.begin + i * length / kParts, span.begin + (i + 1) * length / kParts};
    const auto level = mean_over(trace, meter, part);
    if (level) differences.push_back(level->sensor_w - level->meter_w);
  }
  const auto n = static_cast<double>(differences.size());
  if (n < 2) return 0.0;
  double sum = 0.0;
  for (const double difference : differences) sum += difference;
  double squares = 0.0;
  for (const double difference : differences) squares += std::pow(difference - sum / n, 2);
  return std::sqrt(squares / (n - 1) / n);
}

/// Whether the board drew the same all along, by the meter, as far back as a source may average: a
/// board that wakes up between shows the source less idle than the meter.
bool is_steady(const trace::MeterTrace& meter, const HostSpan& span) {
  const HostTime from = std::max(meter.samples.front().time, span.begin - kAveraging);
  const Nanoseconds length = span.end - from;
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  for (int i = 0; i < kParts; ++i) {
    const auto mean =
        mean_metered_power(meter, {from + i * length / kParts, from + (i + 1) * length / kParts});
    if (!mean) return false;
    least = std::min(least, mean->value());
    most = std::max(most, mean->value());
  }
  return most - least <= kUnsteady * std::abs(most);
}

/// The idle before a window; `settled` is when the window before it has been forgotten.
std::optional<HostSpan> idle_span(HostTime begin, HostTime settled) {
  const HostTime to = begin - kBeforeLoad;
  const HostTime from = std::max(settled, to - kIdleLength);
  if (to - from < kShortestIdle) return std::nullopt;
  return HostSpan{from, to};
}

}  // namespace

std::vector<MeteredLevel> levels_of(const Trace& trace, const trace::MeterTrace& meter,
                                    const std::vector<Window>& windows) {
  std::vector<MeteredLevel> levels;
  if (trace.samples.empty() || meter.samples.empty()) return levels;
  const auto add = [&](const std::optional<HostSpan>& span) {
    if (!span) return;
    const auto mean = mean_over(trace, meter, *span);
    if (mean) levels.push_back({*mean, scatter_of(trace, meter, *span)});
  };
  HostTime settled = std::max(trace.samples.front().seen, meter.samples.front().time);
  for (const Window& window : windows) {
    const auto idle = idle_span(window.begin, settled);
    if (idle && is_steady(meter, *idle)) add(*idle);
    add(plateau_span(window));
    settled = window.end + kSettling;
  }
  return levels;
}

}  // namespace truewatt::calibrate
