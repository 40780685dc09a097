#include "truewatt/energy/observe/look.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::energy {

double shown_of_step(double window, double time_constant, double age) {
  if (age <= 0) return 0.0;
  const auto decayed = [time_constant](double since) { return std::exp(-since / time_constant); };
  if (!(window > 0)) return time_constant > 0 ? 1 - decayed(age) : 1.0;
  const double seen = std::min(age / window, 1.0);
  if (!(time_constant > 0)) return seen;
  const double after = std::max(age - window, 0.0);
  return seen - time_constant / window * (decayed(after) - decayed(age));
}

double rise_of_look(double window, double time_constant) {
  constexpr int kHalvings = 60;
  constexpr double kLast = 10.0;  // time constants
  const auto reaches = [&](double level) {
    double low = 0.0;
    double high = window + kLast * time_constant;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (shown_of_step(window, time_constant, middle) < level ? low : high) = middle;
    }
    return high;
  };
  return reaches(0.9) - reaches(0.1);
}

}  // namespace truewatt::energy
