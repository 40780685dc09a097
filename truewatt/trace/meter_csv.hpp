#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/meter_trace.hpp"

namespace truewatt::trace {

/// Reads any meter's readings from a CSV with the columns `t_s` (seconds) and `w` (watts), in any
/// order and beside others. Times above `kEpochSecondsFrom` count from the epoch, others from the
/// recording's first reading; the first row decides. Watts are signed. A row that cannot be read,
/// or is not later than the one above, is counted in `bad_rows` and skipped. `parse` without that
/// header, `insufficient_data` with fewer than two readings.
Result<MeterTrace> parse_meter_csv(std::string_view text);

}  // namespace truewatt::trace
