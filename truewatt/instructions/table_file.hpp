#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/instructions/results.hpp"

namespace truewatt::instructions {

/// A table that `--json` wrote: device, baselines, scale and rows; points are left out.
/// Reasons that this version does not know are left out, too, and rows that repeat others; notes
/// say so, and which instructions it does not know. Errors: unavailable, io, parse with
/// the file's name.
Result<Table> read_table(const std::filesystem::path& path);
/// The same from text; `origin` is named in errors.
Result<Table> parse_table(std::string_view text, std::string_view origin);

/// Lines of `NAME,COUNT`: how often threads execute an instruction. The first may be a header, one
/// that begins with `#` is a comment, and blanks around names and counts are none of them. Errors:
/// unavailable, io, parse with file and line.
Result<std::vector<std::pair<std::string, double>>> read_counts(const std::filesystem::path& path);

}  // namespace truewatt::instructions
