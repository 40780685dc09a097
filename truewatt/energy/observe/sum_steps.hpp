#pragma once

#include <cmath>

namespace truewatt::energy {

/// How a sum of readings is known: what lies between two readings that step by so much has a sixth
/// of the step's variance, each in its share of the sum (docs/method.md, section 5).
inline constexpr double kBetweenSteps = 1.0 / 6;

/// Standard uncertainty of the mean of so many readings, W, by the sum of their squared steps.
inline double sum_sd(double squared_steps, double readings) {
  return std::sqrt(kBetweenSteps * squared_steps) / readings;
}

/// The root of the sum of squared steps, W, of a sum that is known so well.
inline double steps_of_sum(double sd, double readings) {
  return sd * readings / std::sqrt(kBetweenSteps);
}

}  // namespace truewatt::energy
