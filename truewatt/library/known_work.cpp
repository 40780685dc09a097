#include "truewatt/library/known_work.hpp"

#include <algorithm>

namespace truewatt::library {

std::vector<ActivityInterval> known_work(const std::vector<Window>& steady) {
  std::vector<HostTime> edges;
  for (const Window& window : steady) {
    edges.push_back(window.begin);
    edges.push_back(window.end);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<ActivityInterval> work;
  for (std::size_t i = 1; i < edges.size(); ++i) {
    const Window* innermost = nullptr;
    for (const Window& window : steady) {
      if (window.begin > edges[i - 1] || window.end < edges[i]) continue;
      if (innermost == nullptr || window.begin >= innermost->begin) innermost = &window;
    }
    if (innermost != nullptr) work.push_back({edges[i - 1], edges[i], {.what = innermost->label}});
  }
  return work;
}

}  // namespace truewatt::library
