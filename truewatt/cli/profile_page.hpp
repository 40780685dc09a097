#pragma once

#include <string>

#include "truewatt/report/profile_html.hpp"
#include "truewatt/store/run_file.hpp"
#include "truewatt/study/characterization.hpp"

namespace truewatt::cli {

/// What a characterization's run file has as its load.
inline constexpr const char* kCharacterizeLoad = "characterize";

/// The HTML page of a characterization; `metadata` says how it was made.
report::ProfilePage page_of(const study::Characterization& characterization,
                            const store::Metadata& metadata);

}  // namespace truewatt::cli
