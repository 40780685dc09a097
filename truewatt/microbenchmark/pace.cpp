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
constexpr double kRounding = 1e-6;  // s

/// Whether a power source shows that the board takes long to settle, whatever each part of it does:
/// it is later than the sensor alone, as a twentieth of a step behind 0.4 s is, or earlier, as one
/// that overshoots by so much.
bool settles_late(const SourceProfile& source) {
  constexpr double kLate = 0.02;  // s
  if (counts_energy(source.source) || !source.total_lag_s) return false;
  const double age = source.fitted->age_s.value;
  return source.total_lag_s->lower - age > kLate || age - source.total_lag_s->upper > kLate;
}

/// Of a step of the board's power, what is missing `after` so many seconds (less than nothing where
/// it overshoots): of parts that are known, or of all. Parts that a fit cannot tell apart cancel.
double missing(const std::vector<BoardTransient>& parts, bool all, double after) {
  constexpr double kRises = 0.05;
  double sum = 0.0;
  for (const BoardTransient& part : parts) {
    if (all && part.time_constant_s.value > 0) {
      sum += part.share.value * std::exp(-after / part.time_constant_s.value);
      continue;
    }
    if (!(part.time_constant_s.value > 0)) continue;
    // A short characterization knows how much is missing before it knows for how long; a share at
    // its bound, all, is none.
    const bool is_timed = part.time_constant_s.lower > 0;
    const bool is_told = is_timed || part.share.upper < 1;
    const bool rises = is_told && part.share.lower > 0 && part.share.value >= kRises;
    const bool falls = is_timed && part.share.value < 0;
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
    const bool late = settles_late(source);
    for (double after = settles; after < kLongest.count(); after += kStep) {
      if (std::abs(missing(parts, late, after)) > kLittle) settles = after + kStep;
    }
  }
  return settles;
}

/// The longest window that the readings of known work do not exclude, s.
double longest_window(const SourceProfile& source) {
  constexpr double kUsualLongest = 1.0;  // of what drivers average over
  constexpr double kRiseOfWindow = 0.8;  // from 10 to 90 % of a step
  const auto& known = source.averaging_window_s;
  if (known) return known->upper;
  if (source.fitted) {
    // What is in a reading is no older on average than it was found to be.
    return std::min(source.fitted->averaging_window_s.upper, 2 * source.fitted->age_s.upper);
  }
  return source.rise_time_s ? source.rise_time_s->upper / kRiseOfWindow : kUsualLongest;
}

/// In which the fastest sensor of the GPU shows one stretch alone: its window and one update
/// period, in whole steps. 0 where it is not known.
Seconds sensor_shows(const Profile& profile) {
  constexpr double kStep = 0.01;  // s
  double least = 0.0;
  for (const SourceProfile& source : profile.sources) {
    const bool counts = source.source.scope != Scope::memory && !is_too_slow(source) &&
                        source.verdict != SourceVerdict::unusable;
    if (!counts || !source.update_period_s) continue;
    const double shows = source.update_period_s->value + longest_window(source);
    if (least == 0.0 || shows < least) least = shows;
  }
  return Seconds(kStep * std::round(least / kStep));
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
  const Seconds shows = sensor_shows(*profile);
  const Seconds counts = pace.shortest - pace.settles;
  if (shows > counts + Seconds(kRounding)) {
    pace.shortest = pace.settles + 2 * shows;
    pace.idle += shows;
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
