#pragma once

#include <optional>
#include <string_view>

namespace truewatt::energy {

/// How an energy was estimated. The codes are stable: JSON and run files have them.
enum class Method {
  kriging,             ///< from all sources together
  counter_difference,  ///< an energy counter's joules at the window's end less those at its begin
  padded_sum,          ///< readings of the window and of the idle beside it, less that idle
  count_difference,    ///< the same of a counter of the host
  held_means,          ///< means of a meter of the host, each held until the next
  last_ = held_means,
};
std::string_view to_string(Method method);
std::optional<Method> parse_method(std::string_view code);

}  // namespace truewatt::energy
