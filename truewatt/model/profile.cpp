#include "truewatt/model/profile.hpp"

#include <algorithm>

namespace truewatt {

const SourceProfile* find_source(const Profile& profile, SourceId source) {
  const auto found =
      std::find_if(profile.sources.begin(), profile.sources.end(),
                   [source](const SourceProfile& entry) { return entry.source == source; });
  return found == profile.sources.end() ? nullptr : &*found;
}

bool has_reason(const SourceProfile& source, ProfileReason reason) {
  return std::find(source.reasons.begin(), source.reasons.end(), reason) != source.reasons.end();
}

bool is_too_slow(const SourceProfile& source) {
  constexpr double kLongestLag = 2.0;      // s
  constexpr double kLongestUnknown = 1.0;  // s
  if (has_reason(source, ProfileReason::averaging_window_too_long) ||
      has_reason(source, ProfileReason::time_constant_too_long)) {
    return true;
  }
  if (!source.fitted) return false;
  const Interval& lag = source.fitted->time_constant_s;
  // That there is none is not known to 5 % of itself.
  const bool is_known = source.time_constant_s && source.time_constant_s->value > 0.0;
  return lag.value > kLongestLag || (!is_known && lag.upper > kLongestUnknown);
}

std::optional<double> protocol_value(const SourceProfile& source, const std::string& name) {
  const auto found = source.protocol_values.find(name);
  return found == source.protocol_values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace truewatt
