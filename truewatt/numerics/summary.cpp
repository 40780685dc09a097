#include "truewatt/numerics/summary.hpp"

#include <cmath>
#include <numeric>

#include "truewatt/numerics/robust.hpp"

namespace truewatt::numerics {

double Summary::standard_error() const { return sd / std::sqrt(static_cast<double>(count)); }

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<Summary> summarize(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  Summary summary{.count = values.size(), .mean = mean(values), .median = *median(values)};
  double squares = 0.0;
  for (const double value : values) {
    squares += (value - summary.mean) * (value - summary.mean);
  }
  if (values.size() > 1) summary.sd = std::sqrt(squares / (count - 1));
  return summary;
}

}  // namespace truewatt::numerics
