#pragma once

#include <string_view>

#include "truewatt/base/result.hpp"
#include "truewatt/trace/formats/rows/power_log.hpp"

namespace truewatt::trace {

/// Whether a file that begins like this is an answer of Prometheus in JSON.
bool looks_like_prometheus(std::string_view start);

/// Reads the answer of Prometheus to a `query_range` of what dcgm-exporter exports: a matrix of
/// `DCGM_FI_DEV_POWER_USAGE` and `DCGM_FI_DEV_POWER_USAGE_INSTANT`, W, several answers in an array
/// included. GPUs are told apart by host and `UUID`, else by `gpu`. Series of MIG instances repeat
/// their GPU's: the first is read. Stamps are UTC; what Prometheus says at a stamp it scraped at an
/// unknown time before, and repeats until the next scrape: repeats are left out, and so is
/// `DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION`, whose joules would be off by power times that age.
/// `parse` for another answer; else the errors of PowerLogBuilder.
Result<PowerLog> parse_prometheus(std::string_view text, const PowerLogOptions& options = {});

}  // namespace truewatt::trace
