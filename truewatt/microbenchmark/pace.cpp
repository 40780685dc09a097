#include "truewatt/microbenchmark/pace.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

constexpr Seconds kLongest{3.0};

/// Of a step of the board's power, what is missing `after` so many seconds. Parts that a fit cannot
/// tell apart cancel.
double missing(const std::vector<BoardTransient>& parts, double after) {
  constexpr double kRises = 0.05;
  double sum = 0.0;
  for (const BoardTransient& part : parts) {
    const bool is_known = part.time_constant_s.lower > 0;
    const bool rises = is_known && part.share.lower >= kRises;  // else it is warmth, or nothing
    const bool falls = is_known && part.share.value < 0;
    if (rises || falls) sum += part.share.value * std::exp(-after / part.time_constant_s.value);
  }
  return sum;
}

/// From a step of the board's power until so little of it is missing, s.
double board_settles(const Profile& profile) {
  constexpr double kLittle = 0.01;
  constexpr double kStep = 0.01;  // s
  double settles = 0.0;
  for (const SourceProfile& source : profile.sources) {
    if (source.source.scope == Scope::memory) continue;  // which rises on its own
    if (!source.fitted || !source.fitted->board) continue;
    const std::vector<BoardTransient>& parts = *source.fitted->board;
    for (double after = settles; after < kLongest.count(); after += kStep) {
      if (missing(parts, after) > kLittle) settles = after + kStep;
    }
  }
  return settles;
}

}  // namespace

Pace pace_of(const Profile* profile) {
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
