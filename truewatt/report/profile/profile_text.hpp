#pragma once

#include <string>
#include <vector>

#include "truewatt/model/profile.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The observation model of every source, with 95 % intervals, and a sentence for what could not be
/// found out. UTF-8, begins and ends with an empty line. Pure.
std::string profile_text(const Profile& profile, const std::vector<std::string>& notes,
                         const TextOptions& options = {});

}  // namespace truewatt::report
