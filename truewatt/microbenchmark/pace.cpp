#include "truewatt/microbenchmark/pace.hpp"

#include <algorithm>

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

}  // namespace

Pace pace_of(const Profile* profile) {
  const bool is_fast = profile != nullptr &&
                       std::any_of(profile->sources.begin(), profile->sources.end(), shows_fast);
  return is_fast ? kFast : Pace{};
}

}  // namespace truewatt::microbenchmark
