#include "truewatt/study/source_fit.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/energy/ticks.hpp"
#include "truewatt/energy/update_period.hpp"
#include "truewatt/identification/observation_fit.hpp"
#include "truewatt/study/source_profile.hpp"

namespace truewatt::study {
namespace {

using identification::ObservationFit;

/// Readings so soon after a meter's first sample may look back to before it.
constexpr double kMeterLeadIn = 1.5;  // s
/// With so many stretches those before the first one is `kSettled` old are not needed.
constexpr std::size_t kManyStretches = 20;

struct Prepared {
  std::vector<energy::Tick> readings;
  std::vector<identification::Work> work;
  std::optional<PowerSignal> measured;
};

std::vector<identification::Work> work_in(const Recording& recording, HostTime origin) {
  if (!recording.activity.empty()) {
    return identification::work_of(recording, origin, recording.activity.front().level);
  }
  std::vector<identification::Work> work;
  for (const Window& window : recording.windows) {
    work.push_back({seconds_between(origin, window.begin), seconds_between(origin, window.end)});
  }
  return work;
}

Prepared prepare(const Trace& trace, const Recording& recording,
                 const std::optional<trace::MeterTrace>& meter) {
  HostTime origin = trace.begin;
  if (meter) origin = std::min(origin, meter->samples.front().time);
  Prepared prepared{.readings = energy::publications(trace, origin),
                    .work = work_in(recording, origin)};
  if (!recording.activity.empty() && prepared.work.size() > kManyStretches) {
    const double settled = prepared.work.front().begin + kSettled;
    std::erase_if(prepared.readings,
                  [settled](const energy::Tick& tick) { return tick.time < settled; });
  }
  if (!meter) return prepared;
  prepared.measured = identification::measured_power(*meter, origin);
  const double from = seconds_between(origin, meter->samples.front().time) + kMeterLeadIn;
  const double until = seconds_between(origin, meter->samples.back().time);
  std::erase_if(prepared.readings, [from, until](const energy::Tick& tick) {
    return tick.time < from || tick.time > until;
  });
  return prepared;
}

/// The fit with the ticks where they were seen or on their grid, whichever is likelier: polls every
/// ten milliseconds know a regular tick worse than its grid does.
std::optional<ObservationFit> best_fit(const Prepared& prepared, double period) {
  const PowerSignal* measured = prepared.measured ? &*prepared.measured : nullptr;
  const auto regular = energy::on_grid(prepared.readings, period);
  auto seen = identification::fit_observation({prepared.readings, prepared.work, measured}, period);
  auto on_grid = identification::fit_observation({regular, prepared.work, measured}, period);
  if (!seen || !on_grid) return std::nullopt;
  return identification::likelier(std::move(*seen), std::move(*on_grid));
}

}  // namespace

std::optional<SourceFit> fit_source(const Trace& trace, const Recording& recording,
                                    const std::optional<trace::MeterTrace>& meter,
                                    const std::optional<Interval>& update_period) {
  if (counts_energy(trace.source) || !update_period || trace.samples.empty()) return std::nullopt;
  const bool metered = meter && meter->samples.size() > 1;
  const Prepared prepared = prepare(trace, recording, metered ? meter : std::nullopt);
  const auto fit = best_fit(prepared, update_period->value);
  if (!fit) return std::nullopt;
  SourceFit result{.averaging_window_s = fit->averaging_window,
                   .delay_s = fit->delay,
                   .time_constant_s = fit->time_constant};
  if (fit->lag_ambiguous) result.time_constant_s.reset();
  if (metered) {
    result.gain = interval95(fit->amplitude);
    result.offset_w = interval95(fit->idle);
  }
  return result;
}

}  // namespace truewatt::study
