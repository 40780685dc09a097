#include "truewatt/identification/profile/source_fit.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit/observation_fit.hpp"
#include "truewatt/identification/profile/recording_profile.hpp"
#include "truewatt/ticks/ticks.hpp"
#include "truewatt/ticks/update_period.hpp"

namespace truewatt::identification {
namespace {

/// Readings so soon after a meter's first sample may look back to before it.
constexpr double kMeterLeadIn = 1.5;  // s
/// So many stretches of work tell all of a sensor that it shows.
constexpr std::size_t kMostStretches = 1000;

struct Prepared {
  std::vector<ticks::Tick> readings;
  std::vector<Work> work;
  std::optional<PowerSignal> measured;
};

void leave_out_from(std::vector<ticks::Tick>& readings, double time) {
  std::erase_if(readings, [time](const ticks::Tick& tick) { return tick.time >= time; });
}

void leave_out_before(std::vector<ticks::Tick>& readings, double time) {
  std::erase_if(readings, [time](const ticks::Tick& tick) { return tick.time < time; });
}

Prepared prepare(const Trace& trace, const Recording& recording,
                 const std::optional<trace::MeterTrace>& meter) {
  HostTime origin = with_work(trace.begin, recording);
  if (meter) origin = std::min(origin, meter->samples.front().time);
  Prepared prepared{.work = work_in(recording, origin)};
  if (!meter && prepared.work.empty()) return prepared;
  prepared.readings = ticks::publications(trace, origin);
  if (prepared.work.size() > kMostStretches) {
    leave_out_from(prepared.readings, prepared.work[kMostStretches].begin);
    prepared.work.resize(kMostStretches);
  }
  if (!meter) {
    const auto from = shows_only(prepared.work, prepared.readings, recording, origin);
    leave_out_before(prepared.readings, from.value_or(HUGE_VAL));
    return prepared;
  }
  prepared.measured = measured_power(*meter, origin);
  const double from = seconds_between(origin, meter->samples.front().time) + kMeterLeadIn;
  const double until = seconds_between(origin, meter->samples.back().time);
  std::erase_if(prepared.readings, [from, until](const ticks::Tick& tick) {
    return tick.time < from || tick.time > until;
  });
  return prepared;
}

/// The fit with the ticks where they were seen or on their grid, whichever is likelier: polls every
/// ten milliseconds know a regular tick worse than its grid does.
std::optional<ObservationFit> best_fit(const Prepared& prepared, double period) {
  const PowerSignal* measured = prepared.measured ? &*prepared.measured : nullptr;
  const auto regular = ticks::on_grid(prepared.readings, period);
  auto seen = fit_observation({prepared.readings, prepared.work, measured}, period);
  auto on_grid = fit_observation({regular, prepared.work, measured}, period);
  if (!seen || !on_grid) return std::nullopt;
  return likelier(std::move(*seen), std::move(*on_grid));
}

FittedSource no_fit(NoModelReason reason) { return {std::nullopt, {reason}}; }

}  // namespace

FittedSource fit_source(const Trace& trace, const Recording& recording,
                        const std::optional<trace::MeterTrace>& meter,
                        const std::optional<Interval>& update_period) {
  if (counts_energy(trace.source)) return no_fit(NoModelReason::energy_counter);
  if (!update_period || trace.samples.empty())
    return no_fit(NoModelReason::update_period_not_found);
  const bool metered = meter && meter->samples.size() > 1;
  const Prepared prepared = prepare(trace, recording, metered ? meter : std::nullopt);
  if (!metered && prepared.work.empty()) return no_fit(NoModelReason::no_known_load);
  if (!metered && prepared.readings.empty()) return no_fit(NoModelReason::no_idle_before_load);
  const auto fit = best_fit(prepared, update_period->value);
  if (!fit) return no_fit(NoModelReason::too_few_readings);
  const bool told = metered || tells_edges(*fit, prepared.readings, prepared.work);
  if (!told) return no_fit(NoModelReason::too_few_edges);
  SourceFit result{.averaging_window_s = fit->averaging_window,
                   .delay_s = fit->delay,
                   .time_constant_s = fit->time_constant};
  if (fit->lag_ambiguous) result.time_constant_s.reset();
  if (metered) {
    result.gain = interval95(fit->amplitude);
    result.offset_w = interval95(fit->idle);
  }
  return {result, {}};
}

}  // namespace truewatt::identification
