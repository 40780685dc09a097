#pragma once

#include <optional>
#include <string_view>

namespace truewatt::energy {

/// How an energy was estimated. The codes are stable: JSON and run files have them.
enum class Method {
  smoothing,         ///< the integral of a course of power that all readings together tell
  count_difference,  ///< a counter's joules at the window's end less those at its begin
  held_means,        ///< means of a meter of the host, each held until the next
  last_ = held_means,
};
std::string_view to_string(Method method);
std::optional<Method> parse_method(std::string_view code);

}  // namespace truewatt::energy
