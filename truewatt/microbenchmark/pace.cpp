#include "truewatt/microbenchmark/pace.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::microbenchmark {
namespace {

constexpr Pace kFast{.settles = Seconds(0.05), .shortest = Seconds(0.2)};
/// Of a source that shows it: readings within the part of a stretch that counts, ...
constexpr double kFewestReadings = 6.0;

bool shows_fast(const SourceProfile& source) {
  if (!source.update_period_s || !source.rise_time_s) return false;
  const Seconds counts = kFast.shortest - kFast.settles;
  return kFewestReadings * source.update_period_s->value <= counts.count() &&
         source.rise_time_s->upper <= kFast.settles.count();
}

/// From a step of the board's power until so little of it is missing, s.
double board_settles(const Profile& profile) {
  constexpr double kLittle = 0.01;
  constexpr double kRises = 0.05;
  double settles = 0.0;
  for (const SourceProfile& source : profile.sources) {
    if (source.source.scope == Scope::memory) continue;  // which rises on its own
    if (!source.fitted || !source.fitted->board) continue;
    for (const BoardTransient& part : *source.fitted->board) {
      if (part.share.lower < kRises) continue;  // as a fit has for warmth, or for nothing
      if (!(part.time_constant_s.lower > 0)) continue;
      const double missing = part.share.value / kLittle;
      if (missing > 1) settles = std::max(settles, part.time_constant_s.value * std::log(missing));
    }
  }
  return settles;
}

}  // namespace

Pace pace_of(const Profile* profile) {
  constexpr Seconds kLongest{3.0};
  const bool is_fast = profile != nullptr &&
                       std::any_of(profile->sources.begin(), profile->sources.end(), shows_fast);
  Pace pace = is_fast ? kFast : Pace{};
  if (profile == nullptr) return pace;
  const Seconds later = std::min(kLongest, Seconds(board_settles(*profile))) - pace.settles;
  if (later.count() > 0) {
    pace.settles += later;
    pace.shortest += later;
  }
  return pace;
}

bool is_still_held(std::optional<Watts> held, Watts power) {
  constexpr double kAsMuch = 0.9;
  return held && power < kAsMuch * *held;
}

bool is_near_limit(Watts power, std::optional<Watts> limit) {
  constexpr double kNearLimit = 0.9;
  return limit && power > kNearLimit * *limit;
}

}  // namespace truewatt::microbenchmark
