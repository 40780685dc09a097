#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "truewatt/base/result.hpp"

namespace truewatt::capture {

/// Runs a program, searched for in PATH, that says nothing and is told nothing: its standard
/// streams are /dev/null. Its exit code, or 128 + the signal that ended it. A request to stop ends
/// it with SIGTERM. Errors: unavailable (not found), io (no process could be made). Blocks; any
/// thread.
Result<int> run_quietly(const std::vector<std::string>& argv, const std::stop_token& stop = {});

}  // namespace truewatt::capture
