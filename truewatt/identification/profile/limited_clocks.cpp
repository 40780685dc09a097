#include "truewatt/identification/profile/limited_clocks.hpp"

#include <algorithm>

#include "truewatt/energy/validity/validity.hpp"

namespace truewatt::identification {
namespace {

bool is_limited(const HealthSample& sample) {
  return (sample.clocks_event_reasons.value_or(0) & energy::kLimitingReasons) != 0;
}

}  // namespace

bool were_limited(const Recording& recording) {
  return std::any_of(recording.health.begin(), recording.health.end(), is_limited);
}

std::vector<Work> limited_stretches(const Recording& recording, HostTime origin) {
  constexpr double kRemembered = 1.5;  // s
  std::vector<Work> limited;
  const auto& health = recording.health;
  std::size_t flagged = 0;
  for (std::size_t i = 0; i < health.size(); ++i) {
    if (!is_limited(health[i])) continue;
    ++flagged;
    const HostTime begin = i > 0 ? health[i - 1].time : health[i].time;
    const HostTime end = i + 1 < health.size() ? health[i + 1].time : HostTime::max();
    limited.push_back({seconds_between(origin, begin), seconds_between(origin, end) + kRemembered});
  }
  if (2 * flagged > health.size()) limited.clear();
  return limited;
}

Trace without(Trace trace, const std::vector<Work>& stretches, HostTime origin) {
  std::erase_if(trace.samples, [&](const Sample& sample) {
    const double time = seconds_between(origin, sample.seen);
    return std::any_of(stretches.begin(), stretches.end(), [time](const Work& stretch) {
      return time >= stretch.begin && time <= stretch.end;
    });
  });
  return trace;
}

}  // namespace truewatt::identification
