#pragma once

#include <cmath>
#include <string_view>

#include "truewatt/base/interval.hpp"

namespace truewatt::microbenchmark {

/// Whether an energy may be nothing, for all that was measured of it.
inline bool holds_zero(const Interval& joules) {
  return half_width_of(joules) > std::abs(joules.value);
}
/// What is said of its row.
inline constexpr std::string_view kHoldsZero =
    "its interval holds 0: readings are too slow or too few";

}  // namespace truewatt::microbenchmark
