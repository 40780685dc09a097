#include "truewatt/base/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace truewatt {
namespace {

/// Levenshtein distance, one row of its table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({substituted, row[j - 1] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string lowered(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::optional<std::string> close_name(std::string_view name,
                                      std::span<const std::string> candidates) {
  const std::string wanted = lowered(name);
  std::size_t fewest = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> close;
  for (const std::string& candidate : candidates) {
    const std::size_t edits = edit_distance(wanted, lowered(candidate));
    // One edit of a name of one character is another name.
    if (edits >= fewest || edits >= name.size()) continue;
    fewest = edits;
    close = candidate;
  }
  return close;
}

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  const std::vector<std::string> nearest = nearest_names(name, candidates, 1);
  return nearest.empty() ? std::string() : nearest.front();
}

std::vector<std::string> nearest_names(std::string_view name,
                                       std::span<const std::string> candidates, std::size_t count) {
  std::vector<std::pair<std::size_t, const std::string*>> order;
  order.reserve(candidates.size());
  for (const std::string& candidate : candidates) {
    const bool holds = !name.empty() && candidate.find(name) != std::string::npos;
    order.emplace_back(holds ? 0 : edit_distance(name, candidate), &candidate);
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  order.resize(std::min(order.size(), count));
  std::vector<std::string> nearest;
  for (const auto& [distance, candidate] : order) nearest.push_back(*candidate);
  return nearest;
}

}  // namespace truewatt
