#pragma once

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/trace/trace.hpp"

// What is known beside the readings, as hints to a course.
namespace truewatt::energy {

/// Adds the recording's activity as work, seconds after `origin`, in order of time: stretches of
/// one level that touch are one.
void add_known_work(CourseHints& hints, const Recording& recording, HostTime origin);

/// Removes hints far from all readings: they show nothing, and would make a course of nothing.
/// Needs a board that something was read of.
void keep_reachable(CourseHints& hints, const ObservedBoard& board);

}  // namespace truewatt::energy
