#pragma once

#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"

namespace truewatt::numerics {

/// A straight line fitted by least squares. Held around the mean of x, where intercept and slope
/// are uncorrelated, so that nothing cancels when x is a time of 1e9 s.
struct LineFit {
  double center_x = 0.0;  ///< mean of x
  double center_y = 0.0;  ///< the line's value there
  double slope = 0.0;
  double center_sd = 0.0;  ///< standard uncertainty of center_y
  double slope_sd = 0.0;   ///< standard uncertainty of slope
  double residual_sd = 0.0;
  std::size_t points = 0;

  /// The line at x with its standard uncertainty.
  Uncertain at(double x) const;
};

/// Fits y = a + b x. Assumes independent errors of one unknown size, estimated from the residuals
/// with n - 2 degrees of freedom; with n = 2 the residuals say nothing and the caller must give
/// `known_sd`, the standard deviation of one y, which also is the least that is believed.
/// Errors: insufficient_data below two points, ill_conditioned when all x are equal.
Result<LineFit> fit_line(std::span<const double> x, std::span<const double> y,
                         double known_sd = 0.0);

/// By how much a standard uncertainty that was estimated with `degrees_of_freedom` >= 1 must be
/// widened so that 1.96 of it cover 95 %: Student's t over the normal quantile (GUM, annex G).
double student_widening(double degrees_of_freedom);

}  // namespace truewatt::numerics
