#pragma once

#include <string>

#include "truewatt/report/page/text_options.hpp"
#include "truewatt/validate/results.hpp"

namespace truewatt::report {

/// A row per workload: its reference, and by how much the reading held, one run, the paper's good
/// practice and truewatt's mean of it are off; then every reader's errors over all of them. UTF-8,
/// ends with a newline. Pure.
std::string validation_text(const validate::Validation& validation,
                            const TextOptions& options = {});

}  // namespace truewatt::report
