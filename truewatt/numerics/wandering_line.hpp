#pragma once

#include <span>

#include "truewatt/base/interval.hpp"
#include "truewatt/base/result.hpp"

namespace truewatt::numerics {

/// What the values of a line scatter by: each on its own, and a random walk that they share, as
/// sums of something that fluctuates do.
struct Wandering {
  double white_sd = 0.0;  ///< of each value
  double walk = 0.0;      ///< variance of the walk per unit of x, >= 0
};

/// What the differences of a line's neighbouring values are, less its slope times those of x.
struct Increments {
  double squares = 0.0;   ///< their sum
  double products = 0.0;  ///< of neighbours
  double length = 0.0;    ///< in x
  int count = 0;
  int lines = 0;  ///< each of which took one by its slope

  Increments& operator+=(const Increments& other);
};

/// x in order, either way. Pure.
Increments increments_of(std::span<const double> x, std::span<const double> y, double slope);

/// From the increments of lines that wander alike: their variance is walk dx + 2 white^2, and
/// neighbours have the covariance -white^2. `known_sd` is the least that is believed of the white
/// part; all where there are fewer than two increments a line. Pure.
Wandering wandering_of(const Increments& increments, double known_sd);

/// A line carried beyond its points.
struct LineEnd {
  double value = 0.0;
  double white_sd = 0.0;  ///< of the value: what each point's own scatter leaves unknown
  double walk_sd = 0.0;   ///< ... and what the walk does
  Uncertain slope;
};

/// The line y = a + b x that wanders so, carried to `end`, at or beyond the last point: generalized
/// least squares, by a Kalman filter with a diffuse slope. x in order towards `end`. Errors:
/// insufficient_data below two points, ill_conditioned when two neighbouring x are equal. Pure.
Result<LineEnd> end_of_line(std::span<const double> x, std::span<const double> y, double end,
                            const Wandering& scatter);

}  // namespace truewatt::numerics
