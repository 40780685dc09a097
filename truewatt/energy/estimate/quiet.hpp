#pragma once

#include <optional>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"

namespace truewatt::energy {

/// Stretches of half a second or more in which the power stays where it is, in order.
std::vector<CourseWindow> quiet_stretches(const EnergyCourse& course);

/// The quiet stretch that net energy of a window counts from: the last one before the first work
/// that the window holds, cut to its last seconds; else the lowest one near it, else the lowest.
std::optional<CourseWindow> baseline_of(const EnergyCourse& course,
                                        const std::vector<CourseWindow>& quiet,
                                        const CourseWindow& window);

/// The quiet stretch that follows a window, to a second after it.
std::optional<CourseWindow> quiet_after(const std::vector<CourseWindow>& quiet,
                                        const CourseWindow& window);

}  // namespace truewatt::energy
