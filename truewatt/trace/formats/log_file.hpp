#pragma once

#include <string>
#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// A log of power readings and which format it was read as.
struct LogFile {
  std::string format;  ///< "nvidia-smi", "nvidia-smi dmon", "nvidia-smi -q", "Prometheus"
  PowerLog log;
};

/// Whether a file that begins like this is a log of readings, or of a tool that writes none.
bool looks_like_log_file(std::string_view start);

/// Reads a log of any format of this folder, in UTF-8 or UTF-16 with its mark. The errors of the
/// parsers and of recognise_other_tool().
Result<LogFile> parse_log_file(std::string_view text, const PowerLogOptions& options = {});

}  // namespace truewatt::trace
