#include "truewatt/model/profile.hpp"

#include <algorithm>

namespace truewatt {

const SourceProfile* find_source(const Profile& profile, SourceId source) {
  const auto found =
      std::find_if(profile.sources.begin(), profile.sources.end(),
                   [source](const SourceProfile& entry) { return entry.source == source; });
  return found == profile.sources.end() ? nullptr : &*found;
}

}  // namespace truewatt
