#pragma once

#include <string>

#include "truewatt/compare/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// What two things take against each other: what was run, the ratio as a sentence with its 95 %
/// interval, the same above idle, its budget where verbose, and what would narrow it. UTF-8, ends
/// with a newline. Pure.
std::string comparison_text(const compare::EnergyComparison& comparison,
                            const TextOptions& options = {});

}  // namespace truewatt::report
