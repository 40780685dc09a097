#include "truewatt/energy/estimate/window_results.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace truewatt::energy {

double busy_of(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.begin < b.begin; });
  double busy = 0.0;
  HostTime until = windows.front().begin;
  for (const Window& window : windows) {
    if (window.end <= until) continue;
    busy += seconds_between(std::max(until, window.begin), window.end);
    until = window.end;
  }
  return busy;
}

namespace {

/// Of the windows with these numbers, all of one label.
LabelResult label_of(const std::vector<std::size_t>& numbers, const std::vector<Window>& windows,
                     const std::vector<WindowResult>& results, const EnergyEstimator& estimator) {
  LabelResult label{.label = windows[numbers.front()].label, .count = numbers.size()};
  std::vector<Window> alike;
  std::vector<double> joules;
  for (const std::size_t i : numbers) {
    const auto& energy = results[i].estimate.energy;
    if (!energy) return label;
    alike.push_back(windows[i]);
    joules.push_back(energy->interval.value);
  }
  const bool is_one = numbers.size() == 1;
  label.energy = is_one ? results[numbers.front()].estimate.energy : estimator.sum(alike);
  if (!label.energy) return label;
  const auto n = static_cast<double>(numbers.size());
  const EnergyInterval& sum = *label.energy;
  const double sd = sum.standard_uncertainty / n;
  label.mean = {interval95({sum.interval.value / n, sd}), sd, sum.gain_uncertainty / n};
  if (is_one) return label;
  double squares = 0.0;
  for (const double one : joules) squares += std::pow(one - sum.interval.value / n, 2);
  label.scatter_j = std::sqrt(squares / (n - 1));
  return label;
}

}  // namespace

std::vector<LabelResult> labels_of(const std::vector<Window>& windows,
                                   const std::vector<WindowResult>& results,
                                   const EnergyEstimator& estimator) {
  std::map<std::string_view, std::size_t> places;
  std::vector<std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < windows.size(); ++i) {
    const auto [place, is_new] = places.emplace(windows[i].label, alike.size());
    if (is_new) alike.emplace_back();
    alike[place->second].push_back(i);
  }
  std::vector<LabelResult> labels;
  for (const auto& numbers : alike) {
    labels.push_back(label_of(numbers, windows, results, estimator));
  }
  return labels;
}

std::vector<std::map<std::string, EnergyInterval>> energies_by_source(
    const Recording& recording, const Knowledge& knowledge, const EstimateOptions& options,
    const std::vector<Window>& windows) {
  std::vector<std::map<std::string, EnergyInterval>> all(windows.size());
  for (const Trace& trace : recording.traces) {
    if (trace.source.scope != Scope::gpu) continue;
    EstimateOptions by_it = options;
    by_it.source = trace.source;
    by_it.readers.clear();
    const EnergyEstimator estimator(recording, knowledge, by_it, windows);
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const auto energy = estimator.estimate(windows[i]).energy;
      if (energy) all[i].emplace(to_string(trace.source), *energy);
    }
  }
  return all;
}

}  // namespace truewatt::energy
