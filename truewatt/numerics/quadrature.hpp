#pragma once

#include <cmath>
#include <initializer_list>

namespace truewatt::numerics {

/// Root of the sum of squares: how independent standard uncertainties add. Used instead of
/// std::hypot, whose last bits differ between versions of the C library.
inline double quadrature(std::initializer_list<double> terms) {
  double squares = 0.0;
  for (const double term : terms) squares += term * term;
  return std::sqrt(squares);
}

}  // namespace truewatt::numerics
