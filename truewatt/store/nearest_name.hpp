#pragma once

#include <span>
#include <string>
#include <string_view>

namespace truewatt::store {

/// The candidate with the smallest edit distance to `name` (insertions, deletions, substitutions),
/// the first of several; "" without candidates.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

}  // namespace truewatt::store
