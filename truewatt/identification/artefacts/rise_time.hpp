#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// 10-90 % rise time, s, of a fit's readings of work that begins and lasts: the board's rise and
/// the sensor's window and lag together, as on Yang 2024's Fig. 7, but without the wait for the
/// next update, which is the update period's. With a 95 % interval from the fit's covariance.
/// Nothing where a tenth of the rise is not known. Pure.
std::optional<Interval> rise_time(const JointFit& fit);

}  // namespace truewatt::identification
