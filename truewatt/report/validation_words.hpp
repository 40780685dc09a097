#pragma once

#include <optional>
#include <string>

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

/// What the errors are held against.
std::string reference_sentence(const study::Validation& validation);

}  // namespace truewatt::report
