#include "truewatt/energy/estimate/window_results.hpp"

#include <algorithm>
#include <cmath>

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

std::vector<LabelResult> labels_of(const std::vector<Window>& windows,
                                   const std::vector<WindowResult>& results,
                                   const EnergyEstimator& estimator) {
  std::vector<LabelResult> labels;
  for (const Window& window : windows) {
    const auto is_it = [&](const auto& one) { return one.label == window.label; };
    if (std::any_of(labels.begin(), labels.end(), is_it)) continue;
    std::vector<Window> alike;
    std::vector<double> joules;
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if (windows[i].label != window.label) continue;
      alike.push_back(windows[i]);
      const auto& energy = results[i].estimate.energy;
      if (energy) joules.push_back(energy->interval.value);
    }
    LabelResult label{.label = window.label, .count = alike.size()};
    if (joules.size() == alike.size()) label.energy = estimator.sum(alike);
    if (label.energy) {
      const auto n = static_cast<double>(alike.size());
      const EnergyInterval& sum = *label.energy;
      const double sd = sum.standard_uncertainty / n;
      label.mean = {interval95({sum.interval.value / n, sd}), sd, sum.gain_uncertainty / n};
      if (alike.size() > 1) {
        double squares = 0.0;
        for (const double one : joules) squares += std::pow(one - sum.interval.value / n, 2);
        label.scatter_j = std::sqrt(squares / (n - 1));
      }
    }
    labels.push_back(std::move(label));
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
