#pragma once

#include <optional>
#include <span>

#include "truewatt/energy/course/energy_course.hpp"
#include "truewatt/energy/estimate/quiet.hpp"
#include "truewatt/energy/estimate/sensor_response.hpp"

namespace truewatt::energy {

/// Of which window, and how, net energy is wanted.
struct NetQuery {
  CourseWindow asked;
  Response response;                         ///< of the source whose scale the course is on
  std::span<const uncertainty::Term> terms;  ///< errors of the window beside its course's
  BaselineRule rule;
};

/// Adds net energy above the idle that the rule finds, and that idle. It is one weighted sum, so
/// that what errs alike in window and idle cancels; that idle drifted in between, at a time
/// unknown, is part of it. Nothing where there is no such idle. `energy` has the gross energy.
/// Returns the stretch of idle next to the window; absent without one, and for given watts. Pure.
std::optional<CourseWindow> add_net(ScaleEnergy& energy, const EnergyCourse& course,
                                    const IdleStretches& idle, const CourseHints& hints,
                                    const NetQuery& query);

}  // namespace truewatt::energy
