#include "truewatt/energy/estimate/step_trains.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace truewatt::energy {
namespace {

constexpr std::size_t kFewestSteps = 20;
constexpr std::size_t kMostTrains = 4;
/// Lengths of steps, in periods.
constexpr double kShortest = 0.8;
constexpr double kLongest = 4.0;
/// Equal steps are as long as their median within this share, and as far apart.
constexpr double kAlike = 0.25;
constexpr double kApart = 0.05;

using Steps = std::vector<CourseHints::TrainStep>;

/// Those that another one, as long, follows or precedes at once.
Steps back_to_back(Steps steps, double period) {
  const auto length = [](const auto& step) { return step.end - step.begin; };
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end(),
                   [&](const auto& a, const auto& b) { return length(a) < length(b); });
  const double usual = length(*middle);
  if (usual < kShortest * period || usual > kLongest * period) return {};
  std::erase_if(steps,
                [&](const auto& step) { return std::abs(length(step) - usual) > kAlike * usual; });
  std::sort(steps.begin(), steps.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  Steps train;
  bool follows = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool is_last = i + 1 == steps.size();
    const bool goes_on = !is_last && std::abs(steps[i + 1].begin - steps[i].end) < kApart * usual;
    if (goes_on) steps[i].end = steps[i + 1].begin;
    if (!goes_on && !is_last && steps[i + 1].begin < steps[i].end) return {};
    if (goes_on || follows) train.push_back(steps[i]);
    follows = goes_on;
  }
  return train;
}

}  // namespace

std::vector<CourseHints::TrainStep> trains_of(std::span<const Window> windows, HostTime origin,
                                              double period) {
  std::map<std::string, Steps> by_name;
  for (const Window& window : windows) {
    const double begin = seconds_between(origin, window.begin);
    const double end = seconds_between(origin, window.end);
    if (!window.label.empty()) by_name[window.label].push_back({begin, end, 0});
  }
  std::vector<Steps> candidates;
  for (auto& [name, steps] : by_name) {
    if (steps.size() < kFewestSteps) continue;
    steps = back_to_back(std::move(steps), period);
    if (steps.size() >= kFewestSteps) candidates.push_back(std::move(steps));
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Steps& a, const Steps& b) { return a.size() > b.size(); });
  Steps trains;
  std::size_t count = 0;
  for (Steps& steps : candidates) {
    const bool overlaps = std::any_of(trains.begin(), trains.end(), [&](const auto& taken) {
      return taken.begin < steps.back().end && taken.end > steps.front().begin;
    });
    if (overlaps || count == kMostTrains) continue;
    for (CourseHints::TrainStep& step : steps) {
      step.train = count;
      trains.push_back(step);
    }
    ++count;
  }
  std::sort(trains.begin(), trains.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
  return trains;
}

}  // namespace truewatt::energy
