#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace truewatt::numerics {

/// Repeated values in three numbers, all in the values' unit.
struct Summary {
  std::size_t count = 0;
  double mean = 0.0;
  double median = 0.0;
  double sd = 0.0;  ///< sample standard deviation (n - 1); 0 for a single value

  /// Standard error of the mean, which holds no error that all values share.
  double standard_error() const;
};

/// Of at least one value.
double mean(std::span<const double> values);

/// Nothing of nothing.
std::optional<Summary> summarize(const std::vector<double>& values);

}  // namespace truewatt::numerics
