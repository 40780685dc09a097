#pragma once

#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::library {

/// Stretches of steady work as the estimator takes them, in order and none twice: where windows
/// nest or overlap, the one that began last names the work, and every begin and end parts it.
std::vector<ActivityInterval> known_work(const std::vector<Window>& steady);

}  // namespace truewatt::library
