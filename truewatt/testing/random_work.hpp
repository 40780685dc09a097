#pragma once

#include <random>
#include <vector>

#include "truewatt/identification/fit/known_load.hpp"

namespace truewatt::identification {

/// For tests: work of `shortest` to `longest` seconds with idle as long between, until `length`,
/// after a step of 1.5 s.
inline std::vector<Work> random_work(double length, double shortest, double longest,
                                     std::mt19937& rng) {
  std::uniform_real_distribution<double> duration(shortest, longest);
  std::vector<Work> work = {{1.0, 2.5}};
  for (double t = 4.5; t < length;) {
    const double end = t + duration(rng);
    work.push_back({t, end});
    t = end + duration(rng);
  }
  return work;
}

}  // namespace truewatt::identification
