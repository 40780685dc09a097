#pragma once

#include <vector>

#include "truewatt/validate/results.hpp"

namespace truewatt::validate {

/// Mean, root mean square and largest of the errors of each reader and of truewatt, over all
/// workloads; of truewatt over those that it calls resolved, and over all where these are more.
/// Pure.
std::vector<ErrorSummary> summaries_of(const std::vector<ValidatedWorkload>& workloads);

}  // namespace truewatt::validate
