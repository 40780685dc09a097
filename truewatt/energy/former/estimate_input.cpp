#include "truewatt/energy/former/estimate_input.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/energy/former/other_sources.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

double value_of(const std::optional<Interval>& x) { return x ? x->value : 0.0; }
double sd_of(const std::optional<Interval>& x) { return x ? standard_uncertainty_of(*x) : 0.0; }

/// Mean age of what a counter counts, where its parts do not tell: the lag of its mean power, over
/// a period. How much of that is the board's own rise is not known.
std::optional<Uncertain> age_by_total_lag(const SourceProfile& counter) {
  if (!counter.total_lag_s || !counter.update_period_s) return std::nullopt;
  return Uncertain{
      counter.total_lag_s->value - counter.update_period_s->value / 2,
      numerics::quadrature({sd_of(counter.total_lag_s), value_of(counter.rise_time_s) / 2})};
}

/// Mean age of the energy that a source shows, by its profile.
std::optional<Uncertain> age_by_profile(const SourceProfile& profile) {
  const bool counts = counts_energy(profile.source);
  const bool sums = profile.counter && profile.counter->counting != Counting::all;
  if (counts && (sums || !profile.delay_s || !profile.time_constant_s)) {
    return age_by_total_lag(profile);
  }
  if (!profile.delay_s) return std::nullopt;
  const double share = counts ? 0.0 : 0.5;  // of the window
  return Uncertain{value_of(profile.delay_s) + value_of(profile.time_constant_s) +
                       share * value_of(profile.averaging_window_s),
                   numerics::quadrature({sd_of(profile.delay_s), sd_of(profile.time_constant_s),
                                         sd_of(profile.averaging_window_s) / 2})};
}

/// From the end of the last window or known work before a window to the begin of the next behind
/// it.
Window idle_beside(const Recording& recording, const Window& window) {
  Window idle{HostTime::min(), HostTime::max(), ""};
  const auto keep_out_of = [&](const auto& other) {
    if (other.end <= window.begin) idle.begin = std::max(idle.begin, other.end);
    if (other.begin >= window.end) idle.end = std::min(idle.end, other.begin);
  };
  for (const Window& other : recording.windows) keep_out_of(other);
  for (const ActivityInterval& work : recording.activity) keep_out_of(work);
  return idle;
}

/// What is kept as sums, seconds after the trace's begin. What was not looked at is that of as many
/// readings evenly apart that change by as much on the mean.
std::vector<Stretch> sums_of(const Trace& trace, double averaging_window) {
  if (counts_energy(trace.source)) return {};
  std::vector<Stretch> sums;
  for (const CondensedStretch& of : trace.condensed) {
    const double begin = seconds_between(trace.begin, of.begin_tick);
    const double end = seconds_between(trace.begin, of.end_tick);
    if (!(end > begin)) continue;
    const auto count = static_cast<double>(of.readings);
    const double change = std::sqrt(of.squared_steps / count);
    const double unseen = count * unobserved_j2((end - begin) / count, averaging_window, change);
    sums.push_back({begin, end, of.read_j / (end - begin),
                    Condensed{unseen, of.last_w, of.highest_w, of.readings}});
  }
  return sums;
}

}  // namespace

double quantum_of(const std::vector<ticks::Tick>& ticks, bool counter) {
  if (counter) {
    double quantum = 1.0;
    for (int decimals = 0; decimals <= 6; ++decimals, quantum /= 10) {
      const bool divides =
          std::all_of(ticks.begin(), ticks.end(), [quantum](const ticks::Tick& tick) {
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

std::vector<ticks::Tick> without_other_counts(std::vector<ticks::Tick> ticks, const Trace& trace,
                                              const Window& window) {
  for (const HostTime reset : counter_resets(trace)) {
    const double time = seconds_between(trace.begin, reset);
    std::erase_if(ticks, [&](const ticks::Tick& tick) {
      return reset <= window.begin ? tick.time < time - tick.time_sd
                                   : tick.time > time - 4 * tick.time_sd;
    });
  }
  return ticks;
}

PaddedInput padded_input(const Recording& recording, const Window& window, const Trace& trace,
                         const std::vector<ticks::Tick>& ticks, double period_s,
                         const Knowledge& knowledge) {
  PaddedInput input;
  input.update_period = period_s;
  const Window idle = idle_beside(recording, window);
  if (idle.begin > HostTime::min()) input.earliest = seconds_between(trace.begin, idle.begin);
  if (idle.end < HostTime::max()) input.latest = seconds_between(trace.begin, idle.end);
  input.begin = seconds_between(trace.begin, window.begin);
  input.end = seconds_between(trace.begin, window.end);
  input.quantum = quantum_of(ticks, counts_energy(trace.source));
  input.idle_before_w =
      idle_from_power(recording, std::max(window.begin - kPadding, idle.begin), window.begin);
  input.idle_after_w = idle_from_power(recording, window.end + kPadding / 10,
                                       std::min(window.end + kPadding, idle.end));
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, trace.source) : nullptr;
  if (profile) {
    input.averaging_window = value_of(profile->averaging_window_s);
    input.lag_s = age_by_profile(*profile);
  }
  input.condensed = sums_of(trace, input.averaging_window);
  return input;
}

}  // namespace truewatt::energy
