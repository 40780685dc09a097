#pragma once

#include <string>
#include <vector>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// A sentence for each column of power or energy whose values no GPU has in the unit that it names
/// or that was assumed (W, mJ), or which are no running count: what was assumed, and how to name
/// it. The readings stay as they are. Pure.
std::vector<std::string> doubts_about_units(const std::vector<LogColumn>& columns,
                                            const PowerLog& log);

}  // namespace truewatt::trace
