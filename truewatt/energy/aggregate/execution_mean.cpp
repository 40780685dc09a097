#include "truewatt/energy/aggregate/execution_mean.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "truewatt/energy/aggregate/estimate_budget.hpp"

namespace truewatt::energy {
namespace {

/// Doubt in fewer of them is chance: readings of one trial in fifty or so follow their model badly.
constexpr std::size_t kDoubtIn = 3;  // one in so many
/// Nothing is missing from the whole where fewer trials lack something.
constexpr std::size_t kLackingIn = 3;  // one in so many

bool knows_its_idle(const Trial& trial) {
  return trial.pause <= Seconds(0) || trial.estimate.baseline.has_value();
}

/// Idle joules in a trial's pauses, after work as the idle behind the trial is; 0 where nothing is
/// known of them.
double idle_of(const Trial& trial) {
  if (trial.pause <= Seconds(0) || !trial.estimate.baseline) return 0.0;
  const Watts idle = trial.estimate.idle_after.value_or(*trial.estimate.baseline);
  return idle.value() * trial.pause.count();
}

/// Not resolved, and not for its width, which is asked of the mean.
bool is_in_doubt(const Trial& trial) {
  const auto& reasons = trial.estimate.reasons;
  const bool wide = has_reason(reasons, Reason::uncertainty_above_target);
  return std::any_of(reasons.begin(), reasons.end(), puts_in_doubt) ||
         (!trial.estimate.resolved && !wide);
}

/// Indices of the trials that a mean can rest on.
std::vector<std::size_t> usable_of(const std::vector<Trial>& trials) {
  std::vector<std::size_t> with_energy;
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!joules_of_one(trials[i])) continue;
    with_energy.push_back(i);
    if (trials[i].estimate.valid) whole.push_back(i);
  }
  if (whole.empty()) return with_energy;
  const auto doubtful = [&trials](std::size_t i) { return is_in_doubt(trials[i]); };
  const auto in_doubt = std::count_if(whole.begin(), whole.end(), doubtful);
  if (kDoubtIn * static_cast<std::size_t>(in_doubt) < whole.size()) {
    std::erase_if(whole, doubtful);
  }
  return whole;
}

/// Mean of what every trial has.
template <class Quantity, class Get>
std::optional<Quantity> mean_where_all(const std::vector<Trial>& trials, Get get) {
  double sum = 0.0;
  for (const Trial& trial : trials) {
    const std::optional<double> one = get(trial);
    if (!one) return std::nullopt;
    sum += *one;
  }
  return Quantity(sum / static_cast<double>(trials.size()));
}

bool are_known(const std::vector<Trial>& trials) {
  return std::all_of(trials.begin(), trials.end(), [](const Trial& trial) {
    return is_known({&trial.estimate, 1});
  });
}

uncertainty::RunMean mean_of(const std::vector<Trial>& trials, uncertainty::EndedBy ended_by) {
  std::vector<uncertainty::Budget> runs;
  for (const Trial& trial : trials) {
    runs.push_back(budget_of_one(trial, static_cast<int>(runs.size())));
  }
  return uncertainty::mean_of_runs(runs, {.ended_by = ended_by, .known = are_known(trials)});
}

/// Gross energy of one execution, by the first trial: what any of them could have seen.
double gross_of_one(const std::vector<Trial>& trials) {
  return trials.front().estimate.energy->interval.value / trials.front().executions;
}

/// Net energy of one execution; absent where a trial has none.
std::optional<EnergyInterval> net_of_one(const std::vector<Trial>& trials,
                                         uncertainty::EndedBy ended_by) {
  std::vector<uncertainty::Budget> runs;
  for (const Trial& trial : trials) {
    if (!trial.estimate.net_energy) return std::nullopt;
    const RunOf of{.run = static_cast<int>(runs.size())};
    runs.push_back(budget_of(trial.estimate, Quantity::net, of).scaled(1.0 / trial.executions));
  }
  return energy_interval(
      uncertainty::mean_of_runs(
          runs, {.ended_by = ended_by, .known = are_known(trials), .whole = gross_of_one(trials)})
          .budget);
}

/// What others read of one execution, where the idle between them can be taken away.
void add_readings(EnergyEstimate& mean, const std::vector<Trial>& trials) {
  if (!std::all_of(trials.begin(), trials.end(), knows_its_idle)) {
    mean.readers.clear();
    return;
  }
  std::map<std::string, std::pair<double, std::size_t>> naive;
  for (const Trial& trial : trials) {
    for (const auto& [source, joules] : trial.estimate.naive_j) {
      naive[source].first += (joules - idle_of(trial)) / trial.executions;
      ++naive[source].second;
    }
  }
  // A source that is missing in a trial has no mean of all of them.
  for (const auto& [source, sum] : naive) {
    if (sum.second == trials.size()) {
      mean.naive_j[source] = sum.first / static_cast<double>(sum.second);
    }
  }
  for (std::size_t i = 0; i < mean.readers.size(); ++i) {
    ReaderEnergy& reader = mean.readers[i];
    double sum = 0.0;
    bool all = true;
    reader.over = Seconds(0);
    for (const Trial& trial : trials) {
      const ReaderEnergy& one = trial.estimate.readers[i];
      all = all && one.energy.has_value();
      // Who takes the whole window has the pauses in it; who reads while work runs has not.
      const bool whole = one.over == trial.estimate.window;
      if (all) sum += (one.energy->value() - (whole ? idle_of(trial) : 0.0)) / trial.executions;
      reader.over += (whole ? one.over - trial.pause : one.over) / trial.executions;
    }
    reader.over /= static_cast<double>(trials.size());
    reader.energy.reset();
    if (all) reader.energy = Joules(sum / static_cast<double>(trials.size()));
  }
}

/// Trials without an energy, or with readings missing, are left out; a third of them, or a device
/// that is gone, are not.
bool are_whole(const std::vector<Trial>& all) {
  const auto lacking = std::count_if(all.begin(), all.end(), [](const Trial& trial) {
    return !joules_of_one(trial) || !trial.estimate.valid;
  });
  const bool lost = std::any_of(all.begin(), all.end(), [](const Trial& trial) {
    return has_reason(trial.estimate.reasons, Reason::gpu_lost);
  });
  return !lost && kLackingIn * static_cast<std::size_t>(lacking) < all.size();
}

void add_reasons(EnergyEstimate& mean, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
    for (const Reason reason : trial.estimate.reasons) {
      // That is asked of the mean.
      if (reason != Reason::uncertainty_above_target) add_reason(mean, reason);
    }
  }
}

}  // namespace

std::vector<Trial> usable_trials(const std::vector<Trial>& trials) {
  std::vector<Trial> usable;
  for (const std::size_t i : usable_of(trials)) usable.push_back(trials[i]);
  return usable;
}

std::vector<double> trial_weights(const std::vector<Trial>& trials) {
  std::vector<double> weights(trials.size(), 0.0);
  const std::vector<std::size_t> used = usable_of(trials);
  if (used.empty()) return weights;
  const auto mean = mean_of(usable_trials(trials), uncertainty::EndedBy::design);
  for (std::size_t i = 0; i < used.size(); ++i) weights[used[i]] = mean.weights[i];
  return weights;
}

std::optional<double> joules_of_one(const Trial& trial) {
  const EnergyEstimate& estimate = trial.estimate;
  if (!estimate.energy || !knows_its_idle(trial)) return std::nullopt;
  return (estimate.energy->interval.value - idle_of(trial)) / trial.executions;
}

uncertainty::Budget budget_of_one(const Trial& trial, int run) {
  const RunOf of{.run = run};
  const auto whole = budget_of(trial.estimate, Quantity::gross, of);
  const auto idle = idle_budget(trial.estimate, trial.pause, of);
  return uncertainty::difference(whole, idle).scaled(1.0 / trial.executions);
}

EnergyEstimate mean_execution(const std::vector<Trial>& all, Seconds window,
                              const MeanOptions& options) {
  const std::vector<Trial> trials = usable_trials(all);
  const EnergyEstimate& first = (trials.empty() ? all : trials).front().estimate;
  EnergyEstimate mean{.device = first.device,
                      .window = window,
                      .source = first.source,
                      .sources = first.sources,
                      .method = first.method,
                      .readers = first.readers,
                      .profile = first.profile,
                      .scale = first.scale};
  mean.valid = are_whole(all);
  add_reasons(mean, trials.empty() || !mean.valid ? all : trials);
  const std::vector<Trial>& read = trials.empty() ? all : trials;
  mean.truth = mean_where_all<Joules>(read, [](const Trial& one) {
    return one.truth ? std::optional(one.truth->value()) : std::nullopt;
  });
  add_readings(mean, read);
  if (trials.empty()) return mean;
  const uncertainty::Budget execution = mean_of(trials, options.ended_by).budget;
  mean.budget = execution.terms();
  mean.energy = energy_interval(execution);
  mean.net_energy = net_of_one(trials, options.ended_by);
  mean.mean_power = Watts(execution.value() / window.count());
  mean.baseline = mean_where_all<Watts>(trials, [](const Trial& one) {
    return one.estimate.baseline ? std::optional(one.estimate.baseline->value()) : std::nullopt;
  });
  mean.observed_fraction = mean_where_all<double>(
      trials, [](const Trial& one) { return one.estimate.observed_fraction; });
  const auto half = half_width_without_gain(mean);
  const bool narrow = half && *half <= options.resolve;
  mean.resolved = narrow && std::none_of(trials.begin(), trials.end(), is_in_doubt);
  if (!narrow) add_reason(mean, Reason::uncertainty_above_target);
  return mean;
}

}  // namespace truewatt::energy
