#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// Whether a file that begins like this was written by `nvidia-smi dmon` or `dcgmi dmon`.
bool looks_like_dmon(std::string_view start);

/// Reads what `nvidia-smi dmon -o DT -s p` wrote (also as CSV): `pwr` as `power.draw` in whole
/// watts, at whole seconds of local time. `parse` with the command to record with where the rows
/// have no date and time, which `dcgmi dmon` never prints; else the errors of PowerLogBuilder.
Result<PowerLog> parse_dmon(std::string_view text, const PowerLogOptions& options = {});

}  // namespace truewatt::trace
