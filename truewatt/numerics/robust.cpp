#include "truewatt/numerics/robust.hpp"

#include <algorithm>
#include <cmath>

namespace truewatt::numerics {

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

std::optional<double> robust_sd(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const double center = *median(values);
  std::vector<double> deviations;
  deviations.reserve(values.size());
  for (const double value : values) deviations.push_back(std::abs(value - center));
  // 1/0.67449: the 75 % quantile of the standard normal distribution.
  constexpr double kNormal = 1.482602218505602;
  return kNormal * *median(std::move(deviations));
}

}  // namespace truewatt::numerics
