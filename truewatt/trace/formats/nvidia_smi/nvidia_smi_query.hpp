#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// Whether a file that begins like this was written by `nvidia-smi -q`.
bool looks_like_nvidia_smi_query(std::string_view start);

/// Reads what `nvidia-smi -q -d POWER -l 1` wrote: a block a query, a part of it a GPU, told apart
/// by the bus id. Power of the GPU, its memory and its module, at whole seconds of local time. A
/// last line that no line feed ends is not read. The errors of PowerLogBuilder.
Result<PowerLog> parse_nvidia_smi_query(std::string_view text, const PowerLogOptions& options = {});

}  // namespace truewatt::trace
