#pragma once

#include "truewatt/identification/fit/fit_problem.hpp"

namespace truewatt::identification {

/// A weighted least-squares solution: what its covariance follows from. Rows are readings in order
/// of time.
struct Solution {
  const Matrix& jacobian;   ///< derivatives of the modelled readings, one unknown a column
  const Vector& weights;    ///< 1/W^2
  const Vector& residuals;  ///< W
  const Matrix& inverse;    ///< of J'WJ and of what is believed beforehand
  /// Readings at most so far apart share something for known reasons; a tenth of all at most.
  Eigen::Index reach = 0;
};

/// Covariance of the unknowns: of each the larger variance of the plain one, scaled by chi squared
/// where that is above 1, and of the HC3 sandwich with neighbouring readings as far as their
/// residuals are alike; with a reach, of that of errors as alike everywhere as all residuals are,
/// too, because the few residuals of a short stretch are smaller than its errors; correlations are
/// those of the plain one (docs/method.md, eq. 20).
Matrix larger_covariance(const Solution& solution);

}  // namespace truewatt::identification
