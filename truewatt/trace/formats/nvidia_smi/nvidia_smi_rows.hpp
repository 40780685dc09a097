#pragma once

#include <string_view>
#include <vector>

#include "truewatt/trace/formats/nvidia_smi/nvidia_smi_columns.hpp"
#include "truewatt/trace/formats/rows/log_row.hpp"

namespace truewatt::trace {

/// Understands the cells of a row under `columns`. Cells that cannot be read become `fault`;
/// unanswered ones (`[N/A]`) are simply absent. `row` is overwritten; its memory is used again.
/// `stamps` reads those of all rows.
void read_log_row(const std::vector<LogColumn>& columns, const std::vector<std::string_view>& cells,
                  LogStampReader& stamps, LogRow& row);

}  // namespace truewatt::trace
