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

std::optional<double> protocol_value(const SourceProfile& source, const std::string& name) {
  const auto found = source.protocol_values.find(name);
  return found == source.protocol_values.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace truewatt
