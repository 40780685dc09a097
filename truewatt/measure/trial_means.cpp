#include "truewatt/measure/trial_means.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/measure/repetition_outlook.hpp"

namespace truewatt::measure {
namespace {

using energy::EnergyEstimate;
using energy::Trial;

/// A forecast of more executions than this says nothing but "many"; nor can so many be asked for.
constexpr double kMostForecast = 1e6;

}  // namespace

int count_of(const TrialsByDevice& trials) { return static_cast<int>(trials.front().size()); }

int usable_of(const TrialsByDevice& trials) {
  std::size_t fewest = trials.front().size();
  for (const std::vector<Trial>& of_one : trials) {
    fewest = std::min(fewest, energy::usable_trials(of_one).size());
  }
  return static_cast<int>(fewest);
}

bool is_lost(const TrialsByDevice& trials) {
  return std::any_of(trials.begin(), trials.end(), [](const auto& of_one) {
    return !of_one.empty() &&
           energy::has_reason(of_one.back().estimate.reasons, energy::Reason::gpu_lost);
  });
}

/// A target's trials end, or are given up on, for how their scatter looks.
std::vector<EnergyEstimate> means_of(const TrialsByDevice& trials, Seconds execution,
                                     const RepeatOptions& options) {
  const bool planned = options.executions || options.good_practice;
  const auto ended_by =
      planned || !options.target ? uncertainty::EndedBy::design : uncertainty::EndedBy::target;
  // Who asks for a wider one is content with it.
  const double resolve = std::max(options.measure.estimate.resolve, options.target.value_or(0.0));
  std::vector<EnergyEstimate> all;
  for (const std::vector<Trial>& of_one : trials) {
    all.push_back(
        energy::mean_execution(of_one, execution, {.ended_by = ended_by, .resolve = resolve}));
  }
  return all;
}

std::optional<double> widest_of(const std::vector<EnergyEstimate>& means) {
  double most = 0.0;
  for (const EnergyEstimate& mean : means) {
    const auto half = energy::half_width_without_gain(mean);
    if (!half) return std::nullopt;
    most = std::max(most, *half);
  }
  return most;
}

double trials_for(const std::vector<EnergyEstimate>& means, int trials, double target) {
  double needed = 0.0;
  for (const EnergyEstimate& mean : means) {
    needed = std::max(needed, trials_for(mean, trials, target));
  }
  return needed;
}

std::vector<TrialEnergy> energies_of(const std::vector<Trial>& trials) {
  std::vector<TrialEnergy> energies;
  const std::vector<double> weights = energy::trial_weights(trials);
  for (const Trial& trial : trials) {
    TrialEnergy one{.executions = trial.executions,
                    .joules = energy::joules_of_one(trial),
                    .truth = trial.truth,
                    .weight = weights[energies.size()],
                    .valid = trial.estimate.valid,
                    .window = trial.window,
                    .pause = trial.pause};
    if (const auto half = energy::half_width_without_gain(trial.estimate)) {
      one.half_width_j = *half * trial.estimate.energy->interval.value / trial.executions;
    }
    energies.push_back(one);
  }
  return energies;
}

Repetition repetition_of(const TrialsByDevice& trials, const std::vector<EnergyEstimate>& means,
                         int executions, const RepetitionDesign& design,
                         const std::optional<double>& target, Seconds elapsed) {
  const int count = count_of(trials);
  Repetition repetition{.executions = executions,
                        .trials = count,
                        .pause = design.pause,
                        .target = target,
                        .half_width = widest_of(means)};
  if (!target || !repetition.half_width) return repetition;
  const bool resolved = std::all_of(means.begin(), means.end(),
                                    [](const EnergyEstimate& one) { return one.resolved; });
  repetition.reached = resolved && count >= kFewestTrials && *repetition.half_width <= *target;
  if (*repetition.half_width <= *target || count < 2 || is_lost(trials)) return repetition;
  const double needed = trials_for(means, count, *target);
  const double wanted = std::ceil(needed) * design.executions;
  if (!(wanted <= kMostForecast)) return repetition;
  repetition.needs_executions = static_cast<int>(wanted);
  repetition.needs = elapsed * (std::ceil(needed) / count);
  return repetition;
}

}  // namespace truewatt::measure
