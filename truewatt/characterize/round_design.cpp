#include "truewatt/characterize/round_design.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace truewatt::characterize {
namespace {

using identification::Work;

/// Designs are compared over this much of them.
constexpr Seconds kCompared{8.0};
constexpr double kUsualTickSd = 1.2e-4;  // s

std::vector<Work> planned_work(const load::Schedule& schedule) {
  std::vector<Work> work;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    if (schedule.steps[i].level <= 0) continue;
    const bool last = i + 1 == schedule.steps.size();
    work.push_back({schedule.steps[i].at.count(),
                    last ? schedule.duration.count() : schedule.steps[i + 1].at.count()});
  }
  return work;
}

/// What is still open after `schedule` like what was found so far: the worst source's distance.
double expected_distance(const std::vector<identification::CharacterizedSource>& sources,
                         const load::Schedule& schedule) {
  const std::vector<Work> work = planned_work(schedule);
  double worst = 0.0;
  for (const identification::CharacterizedSource& source : sources) {
    if (!source.fit || identification::is_resolved(source, kWellResolved)) continue;
    const auto expected =
        identification::expected_of(source.fit->joint, work, source.profile.update_period_s->value,
                                    kUsualTickSd, 0.0, schedule.duration.count());
    worst = std::max(worst, identification::distance_to_resolved(source.fit->joint, expected));
  }
  return worst;
}

}  // namespace

RandomWork best_kind(const std::vector<identification::CharacterizedSource>& sources,
                     std::uint64_t seed) {
  std::vector<RandomWork> kinds;
  for (const identification::CharacterizedSource& source : sources) {
    if (!source.fit || identification::is_resolved(source, kWellResolved)) continue;
    const auto& p = source.fit->joint.parameters;
    const double covered =
        std::exp(p[identification::kLogWindow]) +
        (source.fit->joint.structure.lag ? 2 * std::exp(p[identification::kLogLag]) : 0.0);
    const auto more = kinds_for(source.profile.update_period_s->value, covered);
    kinds.insert(kinds.end(), more.begin(), more.end());
  }
  RandomWork best;
  double least = std::numeric_limits<double>::infinity();
  for (const RandomWork& kind : kinds) {
    std::mt19937_64 rng(seed);
    const double distance = expected_distance(sources, random_schedule(kind, kCompared, 0, rng));
    if (distance < least) {
      least = distance;
      best = kind;
    }
  }
  return best;
}

}  // namespace truewatt::characterize
