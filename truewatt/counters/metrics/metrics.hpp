#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/counters/counters.hpp"

namespace truewatt::counters {

/// The numbers of Counts, without its pipes.
enum class Field {
  shared_loads,
  shared_stores,
  l1_hits,
  l1_misses,
  l1_stores,
  l2_hits,
  l2_misses,
  l2_reads,
  l2_writes,
  l2_far,
  dram_reads,
  dram_writes,
  local_sectors,
  last_ = local_sectors,
};

/// "shared_loads".
std::string_view to_string(Field field);
/// The number of a field.
const std::optional<double>& value_of(const Counts& counts, Field field);

/// Whether a chip has a metric, by its name without a rollup: "dram__sectors_read".
using HasMetric = std::function<bool(std::string_view)>;

/// What to count: metrics with their rollup ("dram__sectors_read.sum"), each once, and what the
/// chip does not count.
struct MetricPlan {
  std::vector<std::string> metrics;
  std::vector<Field> missing_fields;
  std::vector<std::string> missing_pipes;
};

struct Wanted {
  bool memory = true;  ///< the fields
  bool pipes = true;   ///< instructions by pipe: 3 passes become 4, by CUPTI 13.0
};

/// For every field and pipe the first of its candidates that the chip has: chips differ in names
/// (GB202 has dram__sectors_op_read for dram__sectors_read). Pure.
MetricPlan plan_metrics(const HasMetric& has, const Wanted& wanted = {});

/// Whether GPUs of compute capability `sm` (90 for 9.0) have one of the candidates, for tools that
/// cannot be asked: as CUPTI 13.0 lists them for 29 chips, GV100 to GB207. Integrated GPUs, which
/// share the host's memory, count no DRAM. Pure.
bool usually_has(int sm, std::string_view metric);

/// Every candidate of every field and pipe, without rollup.
std::vector<std::string> candidate_metrics();

/// Values by metric, with rollup: "dram__sectors_read.sum".
using MetricValues = std::map<std::string, double, std::less<>>;

/// What the values say. A field takes its first candidate that is there; of a candidate of several
/// metrics all must be there. Half-precision instructions are "fp16", a pipe of its own until
/// GA100 and since then a part of "fma". Pure.
Counts counts_of(const MetricValues& values);

}  // namespace truewatt::counters
