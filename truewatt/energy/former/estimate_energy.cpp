#include "truewatt/energy/former/estimate_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "truewatt/energy/former/estimate_input.hpp"
#include "truewatt/energy/former/kriged_energy.hpp"
#include "truewatt/energy/former/lock_doubt.hpp"
#include "truewatt/energy/former/other_sources.hpp"
#include "truewatt/energy/former/padded_energy.hpp"
#include "truewatt/energy/former/published_behaviour.hpp"
#include "truewatt/energy/former/sensor_response.hpp"
#include "truewatt/energy/former/source_age.hpp"
#include "truewatt/energy/validity/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/replication/readers/readers.hpp"
#include "truewatt/ticks/update_period.hpp"
#include "truewatt/trace/naive.hpp"

namespace truewatt::energy {
namespace {

/// Sources in the order in which they are believed. A module's counter stands last: it counts more
/// than the GPU.
constexpr auto kPreference = [] {
  std::array<SourceId, kKindsAsBelieved.size() + 1> sources{};
  for (std::size_t i = 0; i < kKindsAsBelieved.size(); ++i) {
    sources[i] = {kKindsAsBelieved[i], Scope::gpu};
  }
  sources.back() = {SourceKind::energy_counter, Scope::module};
  return sources;
}();

/// Says what knowledge of the deciding source there was, and whether it fits.
void note_profile(EnergyEstimate& estimate, const Knowledge& knowledge,
                  const Published& published) {
  if (!estimate.profile) return;
  estimate.profile->agrees = published.agrees;
  estimate.profile->covers_source =
      published.listed ||
      (knowledge.profile && find_source(*knowledge.profile, *estimate.source) != nullptr);
  if (!published.listed) return;
  add_reason(estimate, published.source ? Reason::from_catalogue : Reason::catalogue_misfit);
  estimate.observed_fraction = published_duty(published);
}

/// Share of the window that a power source is known to look at; nothing without a profile.
std::optional<double> known_duty(const Knowledge& knowledge, SourceId source) {
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, source) : nullptr;
  return profile ? profile->duty : std::nullopt;
}

/// True for a source that does not measure, whatever it shows: as found here, else as published.
bool is_computed(const Knowledge& knowledge, SourceId source) {
  const Profile* known = knowledge.profile ? knowledge.profile : knowledge.published;
  const SourceProfile* profile = known ? find_source(*known, source) : nullptr;
  return profile && profile->response == ResponseClass::estimated;
}

/// True for a source that claims to be the GPU's and sees the whole module.
bool sees_module(const Knowledge& knowledge, SourceId source) {
  const SourceProfile* profile =
      knowledge.profile ? find_source(*knowledge.profile, source) : nullptr;
  return profile && source.scope == Scope::gpu &&
         has_reason(*profile, ProfileReason::observes_module);
}

/// The recording without sources that `leave_out` says; nothing where it has none.
template <class LeaveOut>
std::optional<Recording> without(const Recording& recording, LeaveOut leave_out) {
  const auto is_out = [&leave_out](const Trace& trace) { return leave_out(trace.source); };
  if (std::none_of(recording.traces.begin(), recording.traces.end(), is_out)) return std::nullopt;
  Recording rest = recording;
  std::erase_if(rest.traces, is_out);
  return rest;
}

void judge(EnergyEstimate& estimate, const PaddedEnergy& energy, bool may_be_locked,
           double target) {
  const double half = kCoverageFactor95 * energy.gross_j.standard_uncertainty;
  const double share = half / std::abs(energy.gross_j.value);
  estimate.resolved = share <= target && !may_be_locked;
  if (may_be_locked) add_reason(estimate, Reason::phase_lock_not_excluded);
  if (share <= target) return;
  add_reason(estimate, Reason::uncertainty_above_target);
  // Edges and ticks cost the same whatever the length, what was not looked at grows with its root.
  const bool grows = estimate.method != Method::counter_difference;
  const double factor = grows ? (share / target) * (share / target) : share / target;
  estimate.needs = estimate.window * factor;
}

Reason reason_of(const Error& error) {
  return error.code == Errc::ill_conditioned ? Reason::no_idle_padding
                                             : Reason::no_readings_in_window;
}

/// Reasons that mean: the data are not whole.
bool spoils_data(Reason reason) {
  constexpr std::array kSpoilers = {Reason::counter_reset,   Reason::gap_in_readings,
                                    Reason::gpu_lost,        Reason::clock_step,
                                    Reason::throttle_change, Reason::interrupted};
  return std::find(kSpoilers.begin(), kSpoilers.end(), reason) != kSpoilers.end();
}

/// Nothing was recorded from which energy could be told.
bool is_without_data(const EnergyEstimate& estimate) {
  return has_reason(estimate.reasons, Reason::no_usable_source);
}

Reason no_source_reason(const Recording& recording) {
  const bool lost = std::any_of(
      recording.events.begin(), recording.events.end(),
      [](const CaptureEvent& event) { return event.code == to_string(Reason::gpu_lost); });
  return lost ? Reason::gpu_lost : Reason::no_usable_source;
}

/// Adds what a load in step with the ring hides from it, and from a counter that may be made of it.
void add_hidden(PaddedEnergy& energy, double hidden_j) {
  if (hidden_j == 0.0) return;
  energy.budget.push_back({uncertainty::Cause::phase_lock, hidden_j});
  for (Uncertain* joules : {&energy.gross_j, &energy.net_j}) {
    joules->standard_uncertainty = numerics::quadrature({joules->standard_uncertainty, hidden_j});
  }
}

/// A log whose own clock jumped; sampling itself lives on a clock that does not.
bool has_broken_time(const Recording& recording) {
  return std::any_of(recording.events.begin(), recording.events.end(),
                     [](const auto& event) { return event.code == to_string(Reason::clock_step); });
}

std::optional<Interval> known_period(const Knowledge& knowledge, SourceId source) {
  if (!knowledge.profile) return std::nullopt;
  const SourceProfile* profile = find_source(*knowledge.profile, source);
  return profile ? profile->update_period_s : std::nullopt;
}

/// Tries one source. False: it cannot tell, and the reasons say why.
bool try_source(EnergyEstimate& estimate, const Recording& recording, const Window& window,
                const Trace& trace, const Knowledge& knowledge, const EstimateOptions& options) {
  const bool counter = counts_energy(trace.source);
  std::vector<ticks::Tick> ticks =
      without_other_counts(ticks::publications(trace, trace.begin), trace, window);
  auto period = ticks::update_period(ticks);
  const auto own_period = period;
  // Too few of its readings differ. A profile knows how long they stand; else it is unknown.
  if (!period) period = known_period(knowledge, trace.source);
  if (!period && !counter) {
    ticks = ticks::polls_as_ticks(trace, trace.begin);
    period = ticks::update_period(ticks);
  }
  const double period_s = period ? period->value : 0.1;
  const bool in_ring = trace.source.kind == SourceKind::power_samples;
  if (in_ring && period) ticks = ticks::ring_ticks(ticks, period_s);
  const Published published = published_about(trace.source, knowledge, own_period, ticks);
  const auto faults = why_not_whole(recording, trace, window, window.begin - kPadding,
                                    window.end + kPadding, period_s);
  for (const Reason reason : faults) add_reason(estimate, reason);
  const auto has = [&faults](Reason reason) {
    return std::find(faults.begin(), faults.end(), reason) != faults.end();
  };
  if (has(Reason::counter_reset) || has(Reason::gpu_lost)) return false;
  if (has(Reason::clock_step) && has_broken_time(recording)) return false;
  if (estimate.window.count() < period_s) {
    add_reason(estimate, Reason::window_too_short);
    if (!counter) return false;
  }
  PaddedInput input = padded_input(recording, window, trace, ticks, period_s, knowledge);
  if (published.source) input.published_age_s = published_age(*published.source);
  auto energy = counter ? counter_difference(ticks, input) : padded_sum(ticks, input);
  if (!energy) {
    add_reason(estimate, reason_of(energy.error()));
    return false;
  }
  estimate.source = trace.source;
  estimate.method = counter ? Method::counter_difference : Method::padded_sum;
  estimate.observed_fraction = known_duty(knowledge, trace.source);
  note_profile(estimate, knowledge, judged(published, *energy));
  const LockDoubt lock = lock_doubt(recording, window, trace.source, period, knowledge, *energy);
  if (lock.open) add_hidden(*energy, lock.hidden_j);
  fill(estimate, *energy, response_of(trace.source, knowledge, options));
  judge(estimate, *energy, lock.open, options.resolve);
  const Disagreement disagreement =
      disagreement_of(recording, window, trace.source, *energy, kPadding);
  if (disagreement.at_edge) {
    add_reason(estimate, Reason::sources_disagree);
    estimate.resolved = false;
    // Which one sees the GPU cannot be told.
    if (disagreement.persistent) forget_numbers(estimate);
  }
  if (trace.source.scope == Scope::module) add_reason(estimate, Reason::module_scope);
  return true;
}

/// A lock that hides less than this share of the energy is harmless.
constexpr double kHarmlessLock = 0.02;
/// Readings whose squares stray so much more from the model than they should do not follow it.
constexpr double kMisfit = 9.0;

/// Gain and offset of a source whose readings are already by them.
Response undone(Response response) {
  if (!response.calibrated) return response;
  const double gain = response.gain.value;
  return {{1.0, response.gain.standard_uncertainty / gain},
          {0.0, response.offset_w.standard_uncertainty / gain},
          true};
}

/// All sources that somebody characterized at once.
void tell_jointly(EnergyEstimate& estimate, const KrigedEnergy& kriged, const Recording& recording,
                  const Window& window, const Knowledge& knowledge,
                  const EstimateOptions& options) {
  const SourceId believed = kriged.sources.front();
  const Trace& trace = *find_trace(recording, believed);
  const double period = find_source(*knowledge.profile, believed)->update_period_s->value;
  for (const Reason reason : why_not_whole(recording, trace, window, window.begin - kPadding,
                                           window.end + kPadding, period)) {
    add_reason(estimate, reason);
  }
  estimate.source = believed;
  estimate.sources = kriged.sources;
  estimate.method = Method::kriging;
  estimate.observed_fraction = known_duty(knowledge, believed);
  note_profile(estimate, knowledge, {});
  const bool may_be_locked = kriged.lock_share > kHarmlessLock;
  fill(estimate, kriged.energy, undone(response_of(believed, knowledge, options)));
  judge(estimate, kriged.energy, may_be_locked, options.resolve);
  const auto used = [&](SourceId source) {
    return std::find(kriged.sources.begin(), kriged.sources.end(), source) != kriged.sources.end();
  };
  // Those that were used have been compared by what their profiles say.
  const auto of_gpu = without(recording, [&](SourceId source) {
    return source != believed && (used(source) || sees_module(knowledge, source));
  });
  const Disagreement idle =
      disagreement_of(of_gpu ? *of_gpu : recording, window, believed, kriged.energy, kPadding);
  if (kriged.sources_disagree || idle.at_edge) {
    add_reason(estimate, Reason::sources_disagree);
    estimate.resolved = false;
    if (idle.persistent) forget_numbers(estimate);
  }
}

/// Of one source alone, where the joint estimate's readings did not follow its model: a number, and
/// doubt. Nobody knows which of the two is right, so that what they differ by is unknown.
void doubt_by(EnergyEstimate& estimate, const KrigedEnergy& kriged, const Knowledge& knowledge,
              const EstimateOptions& options) {
  add_reason(estimate, Reason::model_misfit);
  estimate.resolved = false;
  if (!estimate.energy) return;
  EnergyEstimate other{.window = estimate.window};
  fill(other, kriged.energy, undone(response_of(kriged.sources.front(), knowledge, options)));
  const auto widen = [](EnergyInterval& one, const EnergyInterval& by) {
    // Uniform within what they differ by around this one.
    const double sd = std::abs(one.interval.value - by.interval.value) / std::sqrt(3.0);
    if (!std::isfinite(sd)) return 0.0;
    one.standard_uncertainty = numerics::quadrature({one.standard_uncertainty, sd});
    one.interval = interval95({one.interval.value, one.standard_uncertainty});
    return sd;
  };
  const double gross = widen(*estimate.energy, *other.energy);
  if (estimate.net_energy) widen(*estimate.net_energy, *other.net_energy);
  if (gross > 0) estimate.budget.push_back({uncertainty::Cause::misfit, gross});
  const auto half = half_width_without_gain(estimate);
  if (half && *half > options.resolve) add_reason(estimate, Reason::uncertainty_above_target);
}

/// The estimate but for its verdict on the data.
EnergyEstimate estimate_from_sources(const Recording& recording, const Window& window,
                                     const Knowledge& knowledge, const EstimateOptions& options) {
  EnergyEstimate estimate;
  estimate.device = recording.device;
  estimate.profile = profile_use(knowledge);
  estimate.window = window.end - window.begin;
  for (const Trace& trace : recording.traces) {
    if (const auto naive = trace::naive_energy(trace, window)) {
      estimate.naive_j[to_string(trace.source)] = naive->value();
    }
  }
  if (!(estimate.window.count() > 0)) {
    add_reason(estimate, Reason::window_too_short);
    return estimate;
  }
  const auto uncomputed =
      without(recording, [&](SourceId source) { return is_computed(knowledge, source); });
  const Recording& measured = uncomputed ? *uncomputed : recording;
  const auto kriged = kriged_energy(measured, window, knowledge, options.source);
  const bool follows = kriged && kriged->misfit <= kMisfit;
  if (follows) {
    tell_jointly(estimate, *kriged, measured, window, knowledge, options);
    return estimate;
  }
  bool tried = false;
  const std::vector<SourceId> candidates =
      options.source ? std::vector{*options.source}
                     : std::vector(kPreference.begin(), kPreference.end());
  for (const SourceId source : candidates) {
    const Trace* trace = find_trace(measured, source);
    if (!trace || trace->samples.empty()) continue;
    tried = true;
    if (!try_source(estimate, measured, window, *trace, knowledge, options)) continue;
    if (kriged) doubt_by(estimate, *kriged, knowledge, options);
    return estimate;
  }
  if (kriged) add_reason(estimate, Reason::model_misfit);
  if (uncomputed) {
    add_reason(estimate, Reason::computed_not_measured);
  } else if (!tried) {
    add_reason(estimate, no_source_reason(recording));
  }
  return estimate;
}

/// What one recording tells of its sources is used where it covers the source that is believed
/// most: the counter of a single step says more than a model of the average beside it.
Knowledge usable(const Knowledge& knowledge, const Recording& recording,
                 const EstimateOptions& options) {
  if (!knowledge.profile_is_recordings) return knowledge;
  std::optional<SourceId> believed = options.source;
  for (const SourceId source : kPreference) {
    const Trace* trace = find_trace(recording, source);
    if (!believed && trace && !trace->samples.empty()) believed = source;
  }
  if (believed && find_source(*knowledge.profile, *believed)) return knowledge;
  Knowledge rest = knowledge;
  rest.profile = nullptr;
  rest.profile_is_recordings = false;
  return rest;
}

}  // namespace

EnergyEstimate estimate_energy(const Recording& recording, const Window& window,
                               const Knowledge& given, const EstimateOptions& options) {
  const Knowledge knowledge = usable(given, recording, options);
  EnergyEstimate estimate = estimate_from_sources(recording, window, knowledge, options);
  for (const Reason reason : knowledge.reservations) add_reason(estimate, reason);
  for (const Reader reader : options.readers) {
    estimate.readers.push_back(replication::read_as(reader, recording, window, knowledge));
  }
  estimate.valid = !is_without_data(estimate) &&
                   std::none_of(estimate.reasons.begin(), estimate.reasons.end(), spoils_data);
  return estimate;
}

}  // namespace truewatt::energy
