#pragma once

#include <string>
#include <utility>
#include <vector>

#include "truewatt/characterize/characterization.hpp"
#include "truewatt/report/profile/profile_html.hpp"
#include "truewatt/store/run_file.hpp"

namespace truewatt::cli {

/// What a characterization's run file has as its load.
inline constexpr const char* kCharacterizeLoad = "characterize";

/// What a page says of the profile's device and of how it was made.
std::vector<std::pair<std::string, std::string>> page_metadata(
    const Profile& profile, const store::Metadata& metadata, const std::vector<std::string>& notes);

/// The HTML page of a characterization; `metadata` says how it was made.
report::ProfilePage page_of(const identification::Characterization& characterization,
                            const store::Metadata& metadata);

}  // namespace truewatt::cli
