#pragma once

#include <optional>

namespace truewatt {

/// A number with the bounds that travel with it. The unit is that of the field's name.
struct Interval {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
  double level = 0.95;
};

/// Coverage factor of a two-sided 95 % interval of a normal distribution (GUM, annex G).
inline constexpr double kCoverageFactor95 = 1.959963984540054;

/// A value with its standard uncertainty (GUM 2.3.1), in the unit of the field's name.
struct Uncertain {
  double value = 0.0;
  double standard_uncertainty = 0.0;
};

constexpr double half_width_of(const Interval& x) { return (x.upper - x.lower) / 2; }

/// Of a 95 % interval, as interval95() makes one.
constexpr double standard_uncertainty_of(const Interval& x) {
  return half_width_of(x) / kCoverageFactor95;
}

constexpr Interval interval95(Uncertain x) {
  const double half = kCoverageFactor95 * x.standard_uncertainty;
  return {x.value, x.value - half, x.value + half, 0.95};
}

}  // namespace truewatt
