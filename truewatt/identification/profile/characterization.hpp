#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/identification/profile/source_profile.hpp"
#include "truewatt/model/profile.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// What a characterization leaves: the profile, and everything to draw it with.
struct Characterization {
  Profile profile;
  Recording recording;
  HostTime origin;                           ///< of the sources' axis of seconds
  std::vector<Work> work;                    ///< when the load worked
  std::vector<CharacterizedSource> sources;  ///< as in the profile
  std::vector<std::string> notes;
  std::optional<Error> file_error;  ///< why the run file is not whole
};

}  // namespace truewatt::identification
