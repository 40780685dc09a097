#pragma once

#include <cstddef>

namespace truewatt::numerics {

/// Bartlett's weight of products of terms that lie `lag` apart, where those at most `reach` apart
/// share something: 1 for none, falling in a line to 0 at reach + 1. A variance so weighted is
/// never negative (Newey, West, Econometrica 55, 1987).
constexpr double bartlett_weight(std::size_t lag, std::size_t reach) {
  if (lag > reach) return 0.0;
  return 1.0 - static_cast<double>(lag) / static_cast<double>(reach + 1);
}

}  // namespace truewatt::numerics
