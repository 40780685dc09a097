#pragma once

#include <span>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::numerics {

/// Variances of the errors of one x and one y. Only their ratio moves the line.
struct ErrorVariances {
  double x = 0.0;
  double y = 1.0;
};

/// Fits y = a + b x where both have errors (Deming 1943): the least sum of
/// (y - a - b x)^2 / (var_y + b^2 var_x). With var_x = 0 this is least squares, which otherwise
/// gives a slope that is too small by the share var_x has of the variance of x.
///
/// `residual_sd` is of y - a - b x, with n - 2 degrees of freedom; `slope_sd` and `center_sd`
/// follow from it to first order in var_x over the spread of x. Assumes independent errors. Errors:
/// insufficient_data below two points, ill_conditioned when all x are equal or x and y have nothing
/// in common. Points with known errors only, n = 2 among them: `known_sd`, as in fit_line.
Result<LineFit> fit_deming(std::span<const double> x, std::span<const double> y,
                           ErrorVariances errors, double known_sd = 0.0);

}  // namespace truewatt::numerics
