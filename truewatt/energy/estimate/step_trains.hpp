#pragma once

#include <span>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/trace/trace.hpp"

namespace truewatt::energy {

/// Steps of one name back to back, about equally long: twenty or more of 0.8 to 4 times `period`
/// (s, of the fastest source). Where one lies in another, the train of more steps counts; of the
/// rest the four with most steps. Times in seconds since `origin`; a step ends where the next one
/// begins.
std::vector<CourseHints::TrainStep> trains_of(std::span<const Window> windows, HostTime origin,
                                              double period);

}  // namespace truewatt::energy
