#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "truewatt/validate/results.hpp"

namespace truewatt::report {

/// By how much one run told by truewatt is off on average, and the last readings of the worst
/// source; empty without either.
std::string conclusion_sentence(const validate::Validation& validation);

/// The reading held that a poller of `nvidia-smi` reports: of power.usage, or of what there is.
std::optional<double> naive_error(const validate::ValidatedWorkload& workload);

/// `yang`, `papi`, ...: nothing where it told no energy.
std::optional<double> error_of(const validate::ValidatedWorkload& workload,
                               const std::string& name);

/// "-12.3", "" for nothing: percent.
std::string percent_or_none(const std::optional<double>& share);

/// "-0.31 ± 0.8"; why there is none; a mark instead of an interval where it is in doubt.
std::string told_text(const validate::ToldEnergy& told);

/// A column of the workloads' table.
struct WorkloadColumn {
  std::array<std::string, 2> text_head;  ///< in two lines
  std::string html_head;
  std::string (*cell)(const validate::ValidatedWorkload& workload);
};

/// Those behind the name in which any workload has something.
std::vector<WorkloadColumn> workload_columns(const validate::Validation& validation);

/// A reader's row of a table: name, workloads, MAPE, RMSE, largest error.
std::vector<std::string> reader_cells(const validate::ErrorSummary& summary);

/// Behind the name of a workload whose reference was limited by its clocks.
std::string name_with_mark(const validate::ValidatedWorkload& workload, const std::string& name);

/// What the marks and columns that there are mean.
std::string marks_sentence(const validate::Validation& validation);

/// What the errors are held against.
std::string reference_sentence(const validate::Validation& validation);

}  // namespace truewatt::report
