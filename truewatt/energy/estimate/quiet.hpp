#pragma once

#include <vector>

#include "truewatt/energy/course/energy_course.hpp"

namespace truewatt::energy {

/// Stretches of half a second or more in which the power stays where it is, in order.
std::vector<CourseWindow> quiet_stretches(const EnergyCourse& course);

/// The idle that net energy of a window counts from: the last quiet stretch before it and the first
/// behind it, the seconds next to it of each; where neither is near, the lowest one of all. Empty
/// where nothing was quiet.
std::vector<CourseWindow> baseline_of(const EnergyCourse& course,
                                      const std::vector<CourseWindow>& quiet,
                                      const CourseWindow& window);

}  // namespace truewatt::energy
