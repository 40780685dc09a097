#include "truewatt/identification/profile/level_findings.hpp"

#include "truewatt/identification/artefacts/level_fit.hpp"

namespace truewatt::identification {

std::vector<Work> with_heights(std::vector<Work> work, const LevelHeights& heights) {
  for (Work& one : work) {
    const auto known = heights.find(one.height);
    if (known != heights.end()) one.height = known->second;
  }
  return work;
}

LevelHeights add_level_findings(std::vector<CharacterizedSource>& sources,
                                const std::vector<Work>& levels) {
  LevelHeights heights;
  std::size_t most = 0;
  for (CharacterizedSource& source : sources) {
    if (!source.fit || counts_energy(source.profile.source)) continue;
    if (has_reason(source.profile, ProfileReason::computed_not_measured)) continue;
    const auto readings = well_located(all_readings(source));
    const auto fits = fit_levels({readings, levels}, source.fit->joint);
    source.profile.levels.clear();
    for (const LevelFit& fit : fits) {
      source.profile.levels.push_back({fit.height, interval95(fit.share), interval95(fit.later_s)});
    }
    const bool of_the_gpu = source.profile.source.scope == Scope::gpu;
    if (fits.empty() || !of_the_gpu || readings.size() <= most) continue;
    most = readings.size();
    for (const LevelFit& fit : fits) {
      if (fit.share.value > 0) heights[fit.height] = fit.share.value;
    }
  }
  return heights;
}

}  // namespace truewatt::identification
