#include "truewatt/identification/profile/steadiness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace truewatt::identification {
namespace {

/// Standard uncertainty of the drifts beside the step, 1/s.
double doubt_of(const PowerDrift& drift) {
  const double sd =
      std::max(drift.idle_w_per_s.standard_uncertainty, drift.work_w_per_s.standard_uncertainty);
  return drift.amplitude_w > 0 ? sd / drift.amplitude_w : std::numeric_limits<double>::infinity();
}

std::optional<HostTime> time_of(const Recording& recording, EventKind kind) {
  for (const CaptureEvent& event : recording.events) {
    if (event.kind == kind) return event.time;
  }
  return std::nullopt;
}

template <class Samples>
std::optional<double> first_temperature(Samples begin, Samples end) {
  const auto known = std::find_if(
      begin, end, [](const HealthSample& sample) { return sample.temperature_c.has_value(); });
  return known == end ? std::nullopt : known->temperature_c;
}

}  // namespace

std::optional<KnownDrift> best_known_drift(const std::vector<CharacterizedSource>& sources,
                                           const std::vector<Work>& work) {
  std::optional<KnownDrift> best;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const CharacterizedSource& source = sources[i];
    if (!source.fit || source.profile.source.scope == Scope::cpu) continue;
    // What is computed from the load does not show the board.
    if (has_reason(source.profile, ProfileReason::computed_not_measured)) continue;
    const auto drift = fit_drift({source.readings, work}, source.fit->joint);
    if (!drift || !(drift->amplitude_w > 0.0)) continue;
    if (best && doubt_of(*drift) >= doubt_of(best->drift)) continue;
    best = KnownDrift{i, *drift};
  }
  return best;
}

bool is_unsteady(const PowerDrift& drift, Seconds duration, double coverage) {
  const auto changes = [&](const Uncertain& rate) {
    const double sure = std::abs(rate.value) - coverage * rate.standard_uncertainty;
    return sure * duration.count() > kSteadyShare * drift.amplitude_w;
  };
  return changes(drift.idle_w_per_s) || changes(drift.work_w_per_s);
}

std::optional<Work> warm_up_of(const Recording& recording, HostTime origin) {
  const auto began = time_of(recording, EventKind::warm_up_began);
  const auto ended = time_of(recording, EventKind::warm_up_ended);
  if (!began || !ended) return std::nullopt;
  return Work{seconds_between(origin, *began), seconds_between(origin, *ended)};
}

Steadiness steadiness_of(const std::vector<CharacterizedSource>& sources,
                         const std::vector<Work>& work, const Recording& recording) {
  Steadiness steadiness;
  if (const auto warm_up = warm_up_of(recording, HostTime())) {
    steadiness.warm_up_s = warm_up->end - warm_up->begin;
  }
  if (const auto known = best_known_drift(sources, work)) {
    const PowerDrift& drift = known->drift;
    steadiness.source = sources[known->source].profile.source;
    steadiness.idle_drift_w_per_s = interval95(drift.idle_w_per_s);
    steadiness.work_drift_w_per_s = interval95(drift.work_w_per_s);
    if (is_unsteady(drift, Seconds(drift.length_s), kCoverageFactor95)) {
      steadiness.reasons.emplace_back(SteadinessReason::not_steady);
    }
  } else {
    steadiness.reasons.emplace_back(SteadinessReason::drift_not_measured);
  }
  const auto& health = recording.health;
  steadiness.temperature_begin_c = first_temperature(health.begin(), health.end());
  steadiness.temperature_end_c = first_temperature(health.rbegin(), health.rend());
  if (!steadiness.temperature_begin_c) {
    steadiness.reasons.emplace_back(SteadinessReason::temperature_unknown);
  }
  return steadiness;
}

}  // namespace truewatt::identification
