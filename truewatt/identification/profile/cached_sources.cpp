#include "truewatt/identification/profile/cached_sources.hpp"

#include "truewatt/identification/artefacts/held_readings.hpp"

namespace truewatt::identification {
namespace {

/// For how long a value stands in the driver's sample buffer, s; 0 without one.
double hold_of(const std::vector<CharacterizedSource>& sources) {
  for (const CharacterizedSource& source : sources) {
    if (comes_in_ring(source.profile.source) && source.profile.update_period_s) {
      return source.profile.update_period_s->value;
    }
  }
  return 0.0;
}

}  // namespace

void allow_for_held_readings(std::vector<CharacterizedSource>& sources,
                             const std::vector<Work>& work) {
  const double hold = hold_of(sources);
  for (CharacterizedSource& source : sources) {
    if (!source.fit || counts_energy(source.profile.source)) continue;
    if (has_reason(source.profile, ProfileReason::computed_not_measured)) continue;
    const double period = source.profile.update_period_s->value;
    if (hold <= 0.0 || hold >= period) continue;
    auto held = fit_held({source.readings, work}, *source.fit, period, hold);
    if (!held) {
      if (!has_reason(source.profile, ProfileReason::client_cache)) continue;
      be_later(source.profile, {0.0, -hold, hold});
      continue;
    }
    source.readings = std::move(held->readings);
    source.fit = std::move(held->fit);
    describe_fit(source);
    source.profile.reasons.emplace_back(ProfileReason::held_readings);
    be_later(source.profile, {hold / 2, 0.0, hold});
  }
}

}  // namespace truewatt::identification
