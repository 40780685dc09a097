#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace truewatt {

/// The candidate with the smallest edit distance to `name` (insertions, deletions, substitutions),
/// the first of several; "" without candidates.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// The nearest candidate where a slip of the finger explains the difference: cases aside, at most
/// one edit for every three characters of the name, and one at least. Nothing else is a suggestion.
std::optional<std::string> close_name(std::string_view name,
                                      std::span<const std::string> candidates);

/// The `count` nearest candidates, the nearest first; all of them when there are fewer.
std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates, std::size_t count);

}  // namespace truewatt
