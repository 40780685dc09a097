#pragma once

#include <string>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/ncu/ncu_csv.hpp"
#include "truewatt/memory/counted_elsewhere.hpp"

namespace truewatt::cli {

/// What ncu counted of a process that launches what `truewatt memory` counts, as a file has it.
struct CountsFile {
  memory::CountedPlan plan;
  std::vector<counters::ncu::LaunchCounts> launches;
};

/// What that process writes on standard output before its launches and after them, so that ncu's
/// table, which goes there too, says what it is of.
std::string line_before_launches(const std::string& uuid, const memory::CountedPlan& plan);
std::string line_after_launches(std::size_t launches);

/// Reads ncu's output with these lines in it, for the device of that UUID. Errors: those of
/// reading and of parse_ncu_csv(); parse (lines or launches are missing), invalid_argument (another
/// device, another version of this program), insufficient_data (metrics are missing).
Result<CountsFile> read_counts_file(const std::string& path, const std::string& uuid);

}  // namespace truewatt::cli
