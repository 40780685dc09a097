#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// Reads what `nvidia-smi --query-gpu=timestamp,... --format=csv` wrote, and tables like it: any
/// columns in any order, with or without units, several GPUs (told apart by `uuid`, `pci.bus_id`,
/// `index`, a column each, or by `name` and their order within a query), headers in the middle,
/// lines cut by a crash, cells in quotes, `;` or tabs between them. A bad row never costs a good
/// one.
///
/// `parse` when there is no header with a `timestamp` column (`noheader` logs do not say what their
/// columns mean) or no power column; else the errors of PowerLogBuilder.
Result<PowerLog> parse_nvidia_smi_log(std::string_view text, const PowerLogOptions& options = {});

/// Whether a file that begins like this is such a log, with or without its header.
bool looks_like_nvidia_smi_log(std::string_view start);

}  // namespace truewatt::trace
