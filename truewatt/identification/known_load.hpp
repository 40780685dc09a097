#pragma once

#include <vector>

#include "truewatt/trace/trace.hpp"

namespace truewatt::identification {

/// When a load worked, in seconds on the readings' axis: in order, not overlapping.
struct Work {
  double begin = 0.0;
  double end = 0.0;
};

/// The stretches of work of one level (ActivityInterval::level) of a recording, seconds after
/// `origin`; neighbours less than a microsecond apart are one.
std::vector<Work> work_of(const Recording& recording, HostTime origin, std::string_view level);

}  // namespace truewatt::identification
