#pragma once

#include <string>

#include "truewatt/idle/results.hpp"
#include "truewatt/report/page/text_options.hpp"

namespace truewatt::report {

/// The ladder for a terminal: a row a rung and clock, then what stands in the way.
std::string idle_text(const idle::Ladder& ladder, const TextOptions& options);

}  // namespace truewatt::report
