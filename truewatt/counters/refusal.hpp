#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"

namespace truewatt::counters {

/// The driver gives counters to administrators only: what happened, and what an administrator must
/// set. Errc::permission.
Error counters_refused(std::string_view what_happened);

}  // namespace truewatt::counters
