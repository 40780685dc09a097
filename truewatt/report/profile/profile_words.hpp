#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/model/profile.hpp"

namespace truewatt::report {

/// An interval of seconds in milliseconds: `100.05 ± 0.22`, `< 3.1`, `0`; "?" when absent.
std::string milliseconds(const std::optional<Interval>& seconds);

/// An interval of watts: `220.0 ± 1.2`; "?" when absent.
std::string watts(const std::optional<Interval>& power);

/// What energy counters count and how they compare with the power sources, and what device time
/// would resolve what is open: a sentence each, beginning with the source.
std::vector<std::string> findings_in_words(const Profile& profile);

}  // namespace truewatt::report
