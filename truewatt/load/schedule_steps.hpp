#pragma once

#include <vector>

#include "truewatt/load/load.hpp"

namespace truewatt::load {

/// In order of time only. Keeps the steps minimal: a step to the same level of the same kernel is
/// left out, and one less than half a nanosecond after the last replaces it.
void append_step(std::vector<ScheduleStep>& steps, ScheduleStep step);

/// One stretch of work: [begin, end) in seconds after the schedule's begin, at one level above 0.
struct Stretch {
  Seconds begin{0};
  Seconds end{0};
  double level = 0.0;
  std::shared_ptr<const kernels::Kernel> kernel{};  ///< as ScheduleStep::kernel
  /// What of this is on a recording.
  WorkKind kind(WorkKind::Part part = WorkKind::Part::gpu) const;
};

/// The stretches in which `schedule` works, in order; neighbours differ in level or kernel, or lie
/// apart.
std::vector<Stretch> active_stretches(const Schedule& schedule);

}  // namespace truewatt::load
