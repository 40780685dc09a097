#pragma once

#include <cstddef>
#include <optional>

#include "truewatt/identification/fit/joint_fit.hpp"

namespace truewatt::identification {

/// The levels on which a source's readings lie, where they lie on few and stray from none.
struct ComputedLevels {
  double step_w = 0.0;          ///< from one level to the next
  std::size_t to_full = 0;      ///< steps from idle to full work
  std::size_t partial = 0;      ///< readings of partly worked windows that lie between the two
  double log_likelihood = 0.0;  ///< ln of the likelihood of levels over that of any value
};

/// Finds whether readings are computed from the load's activity instead of measured (Yang 2024,
/// section II-C, and Fig. 14, code 7; docs/method.md, section 9, "Computed readings"): an activity
/// counter takes few values, repeats itself exactly and follows the work at once. `fit` is the
/// joint fit of `data`; `number_step` in W is the step of the driver's number format. Nothing where
/// one of the three does not hold or the readings do not tell: the source counts as measured then.
/// Pure.
std::optional<ComputedLevels> computed_levels(const FitData& data, const JointFit& fit,
                                              double number_step);

}  // namespace truewatt::identification
