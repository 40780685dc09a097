#pragma once

#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// Noise for which the fit's residuals are most likely (maximum likelihood), W.
double likely_noise(const JointFit& fit);

/// By how much the ticks stray beyond what is known of them, s: the standard deviation for which
/// the residuals are most likely where the readings rise or fall. 0 where that is not clearly
/// likelier than none.
double likely_tick_jitter(const JointFit& fit);

/// Fills the covariance: the larger of the plain one, scaled by chi squared, and of the HC3
/// sandwich, with neighbouring readings as far as their residuals are alike (docs/method.md, eq.
/// 20). Readings must be in order of time.
void add_covariance(JointFit& fit, const FitData& data,
                    std::optional<Parameter> held = std::nullopt);

}  // namespace truewatt::identification
