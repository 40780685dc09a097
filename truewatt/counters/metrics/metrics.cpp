#include "truewatt/counters/metrics/metrics.hpp"

#include <algorithm>
#include <array>

#include "truewatt/base/enum_table.hpp"

namespace truewatt::counters {
namespace {

constexpr double kSectorsPerByte = 1.0 / 32.0;
constexpr std::string_view kSum = ".sum";
constexpr std::string_view kPipePrefix = "smsp__inst_executed_pipe_";

/// Metrics whose sum times `scale` is a field.
struct Candidate {
  std::string_view metric;
  std::string_view added{};
  double scale = 1.0;
};

struct FieldRow {
  std::string_view code;
  std::optional<double> Counts::*value = nullptr;
  std::array<Candidate, 5> candidates{};  ///< best first; those without a metric are none
};

/// Sources: the metrics' own descriptions in CUPTI 13.0. Of L2, what SMs ask for comes first: the
/// sums over all units also count what one partition asks of the other.
constexpr FieldRow make_field_row(Field field) {
  switch (field) {
    case Field::shared_loads:
      return {"shared_loads",
              &Counts::shared_loads,
              {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld"},
                {"l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_read"}}}};
    case Field::shared_stores:
      return {"shared_stores",
              &Counts::shared_stores,
              {{{"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"},
                {"l1tex__data_pipe_lsu_wavefronts_mem_shared_cmd_write"}}}};
    case Field::l1_hits:
      return {"l1_hits",
              &Counts::l1_hits,
              {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit"}}}};
    case Field::l1_misses:
      return {"l1_misses",
              &Counts::l1_misses,
              {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss"}}}};
    case Field::l1_stores:
      return {"l1_stores", &Counts::l1_stores, {{{"l1tex__t_sectors_pipe_lsu_mem_global_op_st"}}}};
    case Field::l2_hits:
      return {"l2_hits",
              &Counts::l2_hits,
              {{{"lts__t_sectors_srcunit_tex_lookup_hit"}, {"lts__t_sectors_lookup_hit"}}}};
    case Field::l2_misses:
      return {"l2_misses",
              &Counts::l2_misses,
              {{{"lts__t_sectors_srcunit_tex_lookup_miss"}, {"lts__t_sectors_lookup_miss"}}}};
    case Field::l2_reads:
      return {"l2_reads",
              &Counts::l2_reads,
              {{{"lts__t_sectors_srcunit_tex_op_read"}, {"lts__t_sectors_op_read"}}}};
    case Field::l2_writes:
      return {"l2_writes",
              &Counts::l2_writes,
              {{{"lts__t_sectors_srcunit_tex_op_write"}, {"lts__t_sectors_op_write"}}}};
    case Field::l2_far:
      return {"l2_far", &Counts::l2_far, {{{"lts__t_sectors_srcunit_ltcfabric"}}}};
    case Field::dram_reads:
      return {"dram_reads",
              &Counts::dram_reads,
              {{{"dram__sectors_read"},
                {"dram__sectors_op_read"},
                {"fbpa__dram_read_sectors"},
                {"dram__bytes_read", "", kSectorsPerByte},
                {"dram__bytes_op_read", "", kSectorsPerByte}}}};
    case Field::dram_writes:
      return {"dram_writes",
              &Counts::dram_writes,
              {{{"dram__sectors_write"},
                {"dram__sectors_op_write"},
                {"fbpa__dram_write_sectors"},
                {"dram__bytes_write", "", kSectorsPerByte},
                {"dram__bytes_op_write", "", kSectorsPerByte}}}};
    case Field::local_sectors:
      return {"local_sectors",
              &Counts::local_sectors,
              {{{"l1tex__t_sectors_pipe_lsu_mem_local_op_ld",
                 "l1tex__t_sectors_pipe_lsu_mem_local_op_st"}}}};
  }
  return {};
}

constexpr auto kFields = rows_of<Field, make_field_row>();

struct PipeRow {
  std::string_view name;
  std::string_view pipe;       ///< behind kPipePrefix
  std::string_view renamed{};  ///< the same on chips that lack the first
};

constexpr PipeRow kPipes[] = {
    {"adu", "adu"},           {"alu", "alu"},
    {"cbu", "cbu"},           {"fma", "fma"},
    {"fmaheavy", "fmaheavy"}, {"fmalite", "fmalite"},
    {"fp64", "fp64"},         {"fp16", "fp16", "fma_type_fp16"},
    {"lsu", "lsu"},           {"tensor", "tensor"},
    {"tex", "tex"},           {"tma", "tma"},
    {"uniform", "uniform"},   {"xu", "xu"},
};

std::string pipe_metric(std::string_view pipe) { return std::string(kPipePrefix).append(pipe); }
std::string summed(std::string_view metric) { return std::string(metric).append(kSum); }

bool has_all(const Candidate& candidate, const HasMetric& has) {
  if (candidate.metric.empty() || !has(candidate.metric)) return false;
  return candidate.added.empty() || has(candidate.added);
}

/// The first candidate that is there, or null.
const Candidate* first_there(const FieldRow& row, const HasMetric& has) {
  const auto found =
      std::find_if(row.candidates.begin(), row.candidates.end(),
                   [&](const Candidate& candidate) { return has_all(candidate, has); });
  return found == row.candidates.end() ? nullptr : &*found;
}

std::optional<std::string> pipe_there(const PipeRow& row, const HasMetric& has) {
  for (const auto pipe : {row.pipe, row.renamed}) {
    if (!pipe.empty() && has(pipe_metric(pipe))) return pipe_metric(pipe);
  }
  return std::nullopt;
}

void plan_fields(const HasMetric& has, MetricPlan& plan) {
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const auto* candidate = first_there(kFields[i], has);
    if (candidate == nullptr) {
      plan.missing_fields.push_back(static_cast<Field>(i));
      continue;
    }
    plan.metrics.push_back(summed(candidate->metric));
    if (!candidate->added.empty()) plan.metrics.push_back(summed(candidate->added));
  }
}

void plan_pipes(const HasMetric& has, MetricPlan& plan) {
  for (const auto& row : kPipes) {
    if (const auto metric = pipe_there(row, has)) {
      plan.metrics.push_back(summed(*metric));
    } else {
      plan.missing_pipes.emplace_back(row.name);
    }
  }
}

}  // namespace

std::string_view to_string(Field field) { return row_of(kFields, field).code; }

const std::optional<double>& value_of(const Counts& counts, Field field) {
  return counts.*row_of(kFields, field).value;
}

MetricPlan plan_metrics(const HasMetric& has, const Wanted& wanted) {
  MetricPlan plan;
  if (wanted.memory) plan_fields(has, plan);
  if (wanted.pipes) plan_pipes(has, plan);
  return plan;
}

bool usually_has(int sm, std::string_view metric) {
  const bool shares_host_memory = sm == 87 || sm == 101 || sm == 110 || sm == 121;
  if (metric.starts_with("dram__") || metric.starts_with("fbpa__")) {
    if (shares_host_memory) return false;
    if (metric.starts_with("fbpa__")) return true;
    return metric.find("_op_") == std::string_view::npos ? sm < 120 : sm >= 120;
  }
  if (metric.ends_with("_ltcfabric")) return sm == 80 || sm == 90 || sm == 100 || sm == 103;
  if (!metric.starts_with(kPipePrefix)) return true;
  const auto pipe = metric.substr(kPipePrefix.size());
  if (pipe == "fp16") return sm <= 80;
  if (pipe == "fma_type_fp16" || pipe == "fmaheavy" || pipe == "fmalite") return sm > 80;
  if (pipe == "tma") return sm >= 90;
  return pipe != "uniform" || sm >= 75;
}

std::vector<std::string> candidate_metrics() {
  std::vector<std::string> names;
  for (const auto& row : kFields) {
    for (const auto& candidate : row.candidates) {
      if (!candidate.metric.empty()) names.emplace_back(candidate.metric);
      if (!candidate.added.empty()) names.emplace_back(candidate.added);
    }
  }
  for (const auto& row : kPipes) {
    names.push_back(pipe_metric(row.pipe));
    if (!row.renamed.empty()) names.push_back(pipe_metric(row.renamed));
  }
  return names;
}

Counts counts_of(const MetricValues& values) {
  const auto value = [&](std::string_view metric) { return values.find(summed(metric))->second; };
  const auto has = [&](std::string_view metric) { return values.contains(summed(metric)); };
  Counts counts;
  for (const auto& row : kFields) {
    const auto* candidate = first_there(row, has);
    if (candidate == nullptr) continue;
    const double added = candidate->added.empty() ? 0.0 : value(candidate->added);
    counts.*row.value = (value(candidate->metric) + added) * candidate->scale;
  }
  for (const auto& row : kPipes) {
    if (const auto metric = pipe_there(row, has)) {
      counts.pipe_instructions.emplace(row.name, value(*metric));
    }
  }
  return counts;
}

}  // namespace truewatt::counters
