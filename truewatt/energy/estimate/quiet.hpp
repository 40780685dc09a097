#pragma once

#include <cstddef>
#include <vector>

#include "truewatt/energy/course/energy_course.hpp"

namespace truewatt::energy {

/// Where a board is idle, told once for all windows: stretches of half a second or more in which
/// the power stays where it is, as low as the lowest of them or hardly above it.
class IdleStretches {
 public:
  explicit IdleStretches(const EnergyCourse& course);

  /// The idle that net energy of a window counts from: the last stretch before it and the first
  /// behind it, the seconds next to it of each; where neither is near, the lowest one of all. Empty
  /// where nothing was idle. O(stretches near the window).
  std::vector<CourseWindow> baseline_of(const CourseWindow& window) const;

 private:
  std::vector<CourseWindow> stretches_;  ///< in order of time
  std::vector<std::size_t> by_power_;    ///< their numbers, the lowest first
};

}  // namespace truewatt::energy
