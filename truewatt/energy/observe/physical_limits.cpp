#include "truewatt/energy/observe/physical_limits.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {

double most_shown(double limit_w) { return 2 * limit_w; }

double most_drawn_in(double seconds, double limit_w) {
  constexpr double kPerDecade = 0.5;
  constexpr double kMost = 3.0;
  constexpr double kLeast = 1.25;
  constexpr double kShortest = 1e-4;  // s
  seconds = std::max(seconds, kShortest);
  return limit_w * seconds * std::clamp(1 - kPerDecade * std::log10(seconds), kLeast, kMost);
}

}  // namespace truewatt::energy
