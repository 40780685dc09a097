#pragma once

#include <string>
#include <vector>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// A sentence for each column of power or energy that names no unit and whose values no GPU has in
/// the unit that was assumed (W, mJ): what was assumed, and how to name the unit. The readings stay
/// as they are. Pure.
std::vector<std::string> doubts_about_units(const std::vector<LogColumn>& columns,
                                            const PowerLog& log);

}  // namespace truewatt::trace
