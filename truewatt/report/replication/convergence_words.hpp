#pragma once

#include <string>

#include "truewatt/replication/yang/results.hpp"

namespace truewatt::report {

/// "as read", "corrected, 8 delays", "truewatt".
std::string curve_name(const replication::ConvergenceCurve& curve);

/// Which of the paper's cases a source is, and what it looks at.
std::string case_sentence(const replication::ConvergenceCase& one);

/// What the paper's practice reaches with a load, and how many executions truewatt takes for that.
std::string needs_sentence(const replication::ConvergenceLoad& load);

/// A sensor that looks part of the time.
bool is_part_time(const replication::ConvergenceCase& one);

}  // namespace truewatt::report
