#include "truewatt/energy/former/stray_readings.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace truewatt::energy {

std::vector<double> stray_readings(const std::vector<double>& before,
                                   std::span<const ObservedReading> readings,
                                   std::span<const double> predicted,
                                   std::span<const double> innovations) {
  constexpr double kStrays = 3.5;  // standard deviations
  constexpr double kAtMost = 1.0 / 3;
  constexpr double kBeyond = 1.3;  // how far is known from the model only
  const std::size_t n = readings.size();
  std::vector<double> astray = before.empty() ? std::vector<double>(n, 1.0) : before;
  std::size_t at_edges = 0;
  std::size_t off = 0;
  for (std::size_t k = 1; k + 1 < n; ++k) {
    const double between = std::max(std::abs(predicted[k + 1] - predicted[k]),
                                    std::abs(predicted[k - 1] - predicted[k]));
    const double sd = std::sqrt(readings[k].variance / astray[k]);
    if (between < kStrays * sd) continue;
    ++at_edges;
    const double strays = std::abs(innovations[k]);
    if (strays > kStrays && strays * sd < kBeyond * between) astray[k] *= strays * strays;
    if (astray[k] > 1.0) ++off;
  }
  const bool too_many = static_cast<double>(off) > kAtMost * static_cast<double>(at_edges);
  if (off == 0 || too_many) astray.clear();
  return astray;
}

}  // namespace truewatt::energy
