#include "truewatt/energy/estimate_input.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/energy/other_sources.hpp"
#include "truewatt/energy/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Resolution of a counter: the largest power of ten that divides every count. Of a power source:
/// the smallest step between neighbouring readings, at most 1 W.
double quantum_of(const std::vector<Tick>& ticks, bool counter) {
  if (counter) {
    double quantum = 1.0;
    for (int decimals = 0; decimals <= 6; ++decimals, quantum /= 10) {
      const bool divides = std::all_of(ticks.begin(), ticks.end(), [quantum](const Tick& tick) {
        const double steps = tick.value / quantum;
        return std::abs(steps - std::round(steps)) < 1e-3;
      });
      if (divides) return quantum;
    }
    return 0.0;
  }
  double smallest = 1.0;
  for (std::size_t i = 1; i < ticks.size(); ++i) {
    const double step = std::abs(ticks[i].value - ticks[i - 1].value);
    if (step > 0) smallest = std::min(smallest, step);
  }
  return smallest;
}

}  // namespace

std::vector<Tick> without_other_counts(std::vector<Tick> ticks, const Trace& trace,
                                       const Window& window) {
  for (const HostTime reset : counter_resets(trace)) {
    const double time = seconds_between(trace.begin, reset);
    std::erase_if(ticks, [&](const Tick& tick) {
      return reset <= window.begin ? tick.time < time - tick.time_sd
                                   : tick.time > time - 4 * tick.time_sd;
    });
  }
  return ticks;
}

PaddedInput padded_input(const Recording& recording, const Window& window, const Trace& trace,
                         const std::vector<Tick>& ticks, double period_s,
                         const Knowledge& knowledge) {
  PaddedInput input;
  input.update_period = period_s;
  for (const Window& other : recording.windows) {
    const double begin = seconds_between(trace.begin, other.begin);
    const double end = seconds_between(trace.begin, other.end);
    if (other.end <= window.begin) input.earliest = std::max(input.earliest, end);
    if (other.begin >= window.end) input.latest = std::min(input.latest, begin);
  }
  input.begin = seconds_between(trace.begin, window.begin);
  input.end = seconds_between(trace.begin, window.end);
  input.quantum = quantum_of(ticks, counts_energy(trace.source));
  input.idle_before_w = idle_from_power(recording, window.begin - kPadding, window.begin);
  input.idle_after_w =
      idle_from_power(recording, window.end + kPadding / 10, window.end + kPadding);
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, trace.source) : nullptr;
  if (!profile) return input;
  const auto value = [](const std::optional<Interval>& x) { return x ? x->value : 0.0; };
  const auto sd = [](const std::optional<Interval>& x) {
    return x ? (x->upper - x->lower) / 2 / kCoverageFactor95 : 0.0;
  };
  input.averaging_window = value(profile->averaging_window_s);
  const double window_share = counts_energy(trace.source) ? 0.0 : input.averaging_window / 2;
  input.lag_s = Uncertain{value(profile->delay_s) + value(profile->time_constant_s) + window_share,
                          numerics::quadrature({sd(profile->delay_s), sd(profile->time_constant_s),
                                                sd(profile->averaging_window_s) / 2})};
  return input;
}

}  // namespace truewatt::energy
