#pragma once

#include <optional>
#include <vector>

namespace truewatt::numerics {

/// Median of the values (mean of the middle two of an even number); nothing of nothing.
std::optional<double> median(std::vector<double> values);

/// Standard deviation of a normal sample estimated from the median absolute deviation; not moved by
/// a few outliers. Nothing below two values.
std::optional<double> robust_sd(const std::vector<double>& values);

}  // namespace truewatt::numerics
