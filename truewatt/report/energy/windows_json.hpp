#pragma once

#include <vector>

#include "truewatt/energy/results/results.hpp"
#include "truewatt/report/page/json_values.hpp"

namespace truewatt::report {

/// Windows and labels as the top level of `analyze`, `run` and `measure` has them.
Json json_of_windows(const std::vector<energy::WindowResult>& windows);
Json json_of_labels(const std::vector<energy::LabelResult>& labels);

}  // namespace truewatt::report
