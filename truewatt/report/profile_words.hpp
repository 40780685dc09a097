#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "truewatt/base/interval.hpp"

namespace truewatt::report {

/// What a profile's reason code means and what to do, a sentence; "" for an unknown code.
std::string_view explain_reason(std::string_view code);

/// An interval of seconds in milliseconds: `100.05 ± 0.22`, `< 3.1`, `0`; "?" when absent.
std::string milliseconds(const std::optional<Interval>& seconds);

}  // namespace truewatt::report
