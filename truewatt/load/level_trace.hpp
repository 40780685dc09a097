#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/load/load.hpp"

namespace truewatt::load {

/// Reads a level trace: lines `t_s,level`, the level holding from its time until the next line's.
/// The first line may be the header `t_s,level`; blank lines, a byte-order mark and CRLF are
/// understood. The schedule runs from the first row's to the last row's time: the last row's level
/// is where it ends, not played. Times in any origin, increasing; at least two rows, at most
/// 10 million; levels 0 to 1; 24 h in all. Errors (Errc::parse) name the line and its content.
Result<Schedule> parse_level_trace(std::string_view text);

}  // namespace truewatt::load
