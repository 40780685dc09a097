#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"
#include "truewatt/counters/counters.hpp"
#include "truewatt/counters/metrics/metrics.hpp"

namespace truewatt::counters::ncu {

/// What ncu counted of one launch of a kernel.
struct LaunchCounts {
  std::string id;       ///< ncu's number of the launch within its process
  std::string process;  ///< process id; empty where the table has none
  std::string kernel;
  std::optional<int> device;
  MetricValues values;  ///< counts by metric, in base units: "dram__sectors_read.sum"
  Counts counts;
};

struct NcuReport {
  std::vector<LaunchCounts> launches;  ///< in the table's order
  std::vector<std::string> notes;      ///< what was not understood or not counted
};

/// Reads what `ncu --csv --page raw` or `ncu --csv` (details: a row for each metric) wrote, with
/// the program's own output between, of ncu 2020 to 2025. Units with K, M, G prefixes are decimal.
/// Errors: permission (ncu was refused counters), unavailable (another tool counts), parse (no
/// table, or numbers of two locales), insufficient_data (a table without counts that are known
/// here). Pure.
Result<NcuReport> parse_ncu_csv(std::string_view text);

}  // namespace truewatt::counters::ncu
