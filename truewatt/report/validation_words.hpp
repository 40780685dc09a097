#pragma once

#include <optional>
#include <string>
#include <vector>

#include "truewatt/study/results.hpp"

namespace truewatt::report {

/// The reading held that a poller of `nvidia-smi` reports: of power.usage, or of what there is.
std::optional<double> naive_error(const study::ValidatedWorkload& workload);

/// `yang`, `papi`, ...: nothing where it told no energy.
std::optional<double> error_of(const study::ValidatedWorkload& workload, const std::string& name);

/// "-12.3", "" for nothing: percent.
std::string percent_or_none(const std::optional<double>& share);

/// "-0.31 ± 0.8"; why there is none; a mark where it is not resolved.
std::string told_text(const study::ToldEnergy& told);

/// A workload's row of a table but for its name: iteration, power, counter over ring, run to run,
/// naive, one run, good practice as published and ours, seconds that each took.
std::vector<std::string> workload_cells(const study::ValidatedWorkload& workload);

/// A reader's row of a table: name, workloads, MAPE, RMSE, largest error.
std::vector<std::string> reader_cells(const study::ErrorSummary& summary);

/// Behind the name of a workload whose reference was limited by its clocks.
std::string name_with_mark(const study::ValidatedWorkload& workload, const std::string& name);

/// What the marks in these rows mean.
inline constexpr const char* kValidationMarks =
    "? not resolved. * clocks were limited in a part of the reference. run to run: "
    "standard deviation of the runs that are the reference. took: reference + one run + "
    "good practice, idle around them included.";

/// What the errors are held against.
std::string reference_sentence(const study::Validation& validation);

}  // namespace truewatt::report
