#pragma once

#include <string>
#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::analyze {

/// The recording's windows; where it has none, "recording": as long as any of its sources was
/// asked (a ring remembers what was before). Pure.
std::vector<Window> windows_or_all(const Recording& recording);

/// What is taken for a window where none was named, and how to name some. Of a recording that is
/// holes for the most part, in which stretches it has readings, seconds since `origin`. Pure.
std::string note_of_default(const Window& all, const Recording& recording, HostTime origin);

}  // namespace truewatt::analyze
