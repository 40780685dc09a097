#pragma once

#include <optional>

#include "truewatt/base/interval.hpp"
#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// How the power that a source shows changes while everything else is known, in W of the source.
struct PowerDrift {
  Uncertain idle_w_per_s;    ///< of idle
  Uncertain work_w_per_s;    ///< of full work
  double amplitude_w = 0.0;  ///< settled step, at the middle of the readings
  double length_s = 0.0;     ///< from the first reading to the last one
};

/// Least squares of y = idle + i (t - t') + [A + a (t - t')] u(t), with u the unit response of
/// `fit` (docs/method.md, eq. 17a): idle changes by i, full work by i + a. Standard uncertainties
/// hold the readings' scatter, widened for what neighbours share of it. Nothing below 20 readings,
/// beside a meter, or where idle and work were not both seen at different times. Pure.
std::optional<PowerDrift> fit_drift(const FitData& data, const JointFit& fit);

/// Readings of `fit` per watt of amplitude above idle, without warmth, for the work behind `data`.
std::vector<double> unit_response(const FitData& data, const JointFit& fit);

}  // namespace truewatt::identification
