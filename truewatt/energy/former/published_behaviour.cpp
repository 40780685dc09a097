#include "truewatt/energy/former/published_behaviour.hpp"

#include "truewatt/energy/former/source_age.hpp"

namespace truewatt::energy {

Published published_about(SourceId source, const Knowledge& knowledge,
                          const std::optional<Interval>& recorded_period_s,
                          std::span<const ticks::Tick> ticks) {
  if (knowledge.profile || !knowledge.published) return {};
  const SourceProfile* found = find_source(*knowledge.published, source);
  if (!found) return {};
  Published published{found, true, std::nullopt};
  if (recorded_period_s) published.agrees = period_agrees(*found, *recorded_period_s, ticks);
  if (published.agrees == false) published.source = nullptr;
  return published;
}

Published judged(Published published, const PaddedEnergy& energy) {
  if (!energy.published_agrees) return published;
  published.agrees = *energy.published_agrees;
  if (!*energy.published_agrees) published.source = nullptr;
  return published;
}

std::optional<double> published_duty(const Published& published) {
  if (!published.source) return std::nullopt;
  const auto& duty = published.source->duty;
  return duty && *duty < 1.0 ? duty : std::nullopt;
}

std::optional<ProfileUse> profile_use(const Knowledge& knowledge) {
  if (!knowledge.profile && !knowledge.published) return std::nullopt;
  return ProfileUse{.from_catalogue = knowledge.profile == nullptr,
                    .from_recording = knowledge.profile_is_recordings};
}

}  // namespace truewatt::energy
