#include "truewatt/identification/profile/conclusions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/identification/counter/energy_agreement.hpp"
#include "truewatt/identification/fit/joint_fit.hpp"
#include "truewatt/identification/profile/limited_clocks.hpp"
#include "truewatt/identification/profile/scope_findings.hpp"
#include "truewatt/identification/profile/steadiness.hpp"
#include "truewatt/model/catalogue_match.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/ticks/ticks.hpp"

namespace truewatt::identification {
namespace {

using namespace std::chrono_literals;

/// Says which published behaviour each source shows.
void look_up(Profile& profile) {
  const auto compared = catalogue::compare(profile);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    profile.sources[i].catalogue = catalogue::match_of(compared[i]);
  }
}

/// By how much the sum of a source's readings, each held for an update period, or of a counter's
/// increments comes late, s (docs/method.md, eq. 21a).
double lateness(const CharacterizedSource& source) {
  if (counts_energy(source.profile.source)) return source.counted_age_s;
  const ObservationFit& fit = *source.fit;
  return fit.delay.value + fit.time_constant.value +
         (fit.averaging_window.value - source.profile.update_period_s->value) / 2;
}

/// Holds every energy counter against the power sources of its scope.
void compare_counters(Characterization& result) {
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    SourceProfile& counter = result.profile.sources[i];
    if (!counter.counter || !result.sources[i].fit) continue;
    const auto& traces = result.recording.traces;
    const auto trace = std::find_if(traces.begin(), traces.end(), [&counter](const Trace& other) {
      return other.source == counter.source;
    });
    if (trace == traces.end()) continue;
    const auto ticks = ticks::publications(*trace, result.origin);
    for (const CharacterizedSource& source : result.sources) {
      const SourceId id = source.profile.source;
      if (counts_energy(id) || id.scope != counter.source.scope || !source.fit) continue;
      if (has_reason(source.profile, ProfileReason::computed_not_measured)) continue;
      const auto readings = all_readings(source);
      const auto agreement =
          energy_agreement({ticks, lateness(result.sources[i])}, {readings, lateness(source)});
      if (!agreement) continue;
      counter.counter->agreement.push_back({id, agreement->ratio, agreement->power_w});
    }
  }
}

/// The fitted source that looks at all of the time, else at most of it; of equals the one with the
/// shortest memory, and of those that remember about as long an energy counter, which loses nothing
/// between two polls.
std::optional<SourceId> recommended(const Profile& profile) {
  constexpr double kAlike = 0.1;
  const auto memory = [](const SourceProfile& source) {
    const auto value = [](const std::optional<Interval>& x) { return x ? x->value : 0.0; };
    // What is not resolved is known roughly by what it sees of a period.
    const double seconds = source.averaging_window_s
                               ? source.averaging_window_s->value + value(source.time_constant_s)
                               : *source.duty * value(source.update_period_s);
    return counts_energy(source.source) ? (1 - kAlike) * seconds : seconds;
  };
  const SourceProfile* best = nullptr;
  for (const SourceProfile& source : profile.sources) {
    if (!source.duty || source.source.scope != Scope::gpu) continue;
    if (!stands_for_its_scope(source)) continue;
    const bool better = !best || *source.duty > *best->duty ||
                        (*source.duty == *best->duty && memory(source) < memory(*best));
    if (better) best = &source;
  }
  return best ? std::optional(best->source) : std::nullopt;
}

/// The part of the GPU that the load worked on, where it was not all of it.
std::optional<std::string> slice_of(const Recording& recording) {
  for (const CaptureEvent& event : recording.events) {
    if (event.kind == EventKind::mig_instance) return event.message;
  }
  return std::nullopt;
}

}  // namespace

void add_reason(Profile& profile, ProfileReason reason) {
  for (SourceProfile& source : profile.sources) source.reasons.emplace_back(reason);
}

void judge_conditions(Profile& profile, const Recording& recording) {
  constexpr double kBusyPercent = 10.0;
  // What prepared the load a second ago still shows in the first sample.
  constexpr Nanoseconds kOwnWork = 900ms;
  if (slice_of(recording)) add_reason(profile, ProfileReason::mig_instance);
  const auto& health = recording.health;
  const auto& activity = recording.activity;
  const bool busy = std::any_of(health.begin(), health.end(), [&](const HealthSample& sample) {
    const bool ours = !activity.empty() && sample.time >= activity.front().begin;
    return !ours && sample.time > health.front().time + kOwnWork &&
           sample.utilization_percent.value_or(0.0) > kBusyPercent;
  });
  if (busy) add_reason(profile, ProfileReason::gpu_busy);
  if (were_limited(recording)) add_reason(profile, ProfileReason::throttled);
}

void add_refused(Profile& profile, const Recording& recording) {
  for (const CaptureEvent& event : recording.events) {
    if (event.kind != EventKind::source_refused) continue;
    const auto source = parse_source(event.message.substr(0, event.message.find(':')));
    if (!source || find_source(profile, *source)) continue;
    profile.sources.push_back({.source = *source,
                               .verdict = SourceVerdict::unusable,
                               .reasons = {ProfileReason::permission_denied}});
  }
}

void allow_for_host_clock(Characterization& result) {
  constexpr double kStrays = 25e-6;  // of the time; standard uncertainty
  for (CharacterizedSource& source : result.sources) {
    auto& period = source.profile.update_period_s;
    if (!period) continue;
    const double clock = kCoverageFactor95 * kStrays * period->value;
    period->lower = period->value - numerics::quadrature({period->value - period->lower, clock});
    period->upper = period->value + numerics::quadrature({period->upper - period->value, clock});
  }
}

namespace {

/// Why a fit describes nothing: the source remembers longer than the steps that it was shown.
std::optional<ProfileReason> too_slow(const JointFit& fit, const SourceProfile& profile) {
  constexpr double kAtTheEnd = 0.999;
  const double window = std::exp(fit.parameters[kLogWindow]);
  if (window >= kAtTheEnd * kLongestWindow) return ProfileReason::averaging_window_too_long;
  if (is_too_slow(profile)) return ProfileReason::time_constant_too_long;
  return std::nullopt;
}

/// Nothing is kept of a source that is slower than the models that were fitted.
void forget_slow_sources(Characterization& result) {
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    CharacterizedSource& source = result.sources[i];
    if (!source.fit) continue;
    SourceProfile& profile = result.profile.sources[i];
    const auto reason = too_slow(source.fit->joint, profile);
    if (!reason) continue;
    profile = {.source = profile.source,
               .update_period_s = profile.update_period_s,
               .quantum = profile.quantum,
               .verdict = SourceVerdict::unusable,
               .reasons = {*reason}};
    source.fit.reset();
  }
}

/// A delay at the end of the search may be any longer one.
void forget_long_delays(Characterization& result) {
  constexpr double kAtTheEnd = 0.999;
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    const auto& fit = result.sources[i].fit;
    SourceProfile& profile = result.profile.sources[i];
    const bool is_at_the_end = fit && fit->joint.parameters[kDelay] >= kAtTheEnd * kLongestDelay;
    if (!is_at_the_end || !profile.delay_s) continue;
    profile.delay_s.reset();
    profile.reasons.emplace_back(ProfileReason::delay_not_resolved);
  }
}

}  // namespace

void conclude(Characterization& result) {
  forget_slow_sources(result);
  forget_long_delays(result);
  for (std::size_t i = 0; i < result.sources.size(); ++i) {
    result.profile.sources[i].needs_s =
        time_to_resolve(result.sources[i], result.profile.duration_s);
  }
  result.profile.recommended_source = recommended(result.profile);
  look_up(result.profile);
  compare_counters(result);
  judge_conditions(result.profile, result.recording);
  if (const auto slice = slice_of(result.recording)) {
    result.notes.push_back(
        fmt::format("the load worked on {} only; levels are shares of it", *slice));
  }
  result.profile.steadiness = steadiness_of(result.sources, result.work, result.recording);
  const auto& reasons = result.profile.steadiness->reasons;
  if (std::find(reasons.begin(), reasons.end(), SteadinessReason::not_steady) != reasons.end()) {
    add_reason(result.profile, ProfileReason::not_steady);
  }
}

}  // namespace truewatt::identification
