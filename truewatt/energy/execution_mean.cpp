#include "truewatt/energy/execution_mean.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

bool knows_its_idle(const Trial& trial) {
  return trial.pause <= Seconds(0) || trial.estimate.baseline.has_value();
}

/// Idle joules in a trial's pauses; 0 where nothing is known of them.
double idle_of(const Trial& trial) {
  if (trial.pause <= Seconds(0) || !trial.estimate.baseline) return 0.0;
  return trial.estimate.baseline->value() * trial.pause.count();
}

/// Not resolved, and not for its width, which is asked of the mean.
bool is_in_doubt(const Trial& trial) {
  const auto& reasons = trial.estimate.reasons;
  const bool wide =
      std::find(reasons.begin(), reasons.end(), Reason::uncertainty_above_target) != reasons.end();
  return std::any_of(reasons.begin(), reasons.end(), puts_in_doubt) ||
         (!trial.estimate.resolved && !wide);
}

/// Mean over the trials of `joules(trial)` of one execution.
template <class Of>
double mean_of_one(const std::vector<Trial>& trials, Of joules) {
  double sum = 0.0;
  for (const Trial& trial : trials) sum += joules(trial) / trial.executions;
  return sum / static_cast<double>(trials.size());
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

/// Root of the mean square.
template <class Of>
double rms_of_one(const std::vector<Trial>& trials, Of joules) {
  double squares = 0.0;
  for (const Trial& trial : trials) squares += std::pow(joules(trial) / trial.executions, 2);
  return std::sqrt(squares / static_cast<double>(trials.size()));
}

/// Gain's and offset's standard uncertainty of one execution, J.
double gain_of_one(const std::vector<Trial>& trials, double joules, Seconds window) {
  double relative = 0.0;
  double offset_w = 0.0;
  for (const Trial& trial : trials) {
    const GainAndOffset parts = gain_and_offset(trial.estimate);
    const double energy = std::abs(trial.estimate.energy->interval.value);
    if (energy > 0) relative += parts.gain_j / energy;
    offset_w += parts.offset_j / trial.estimate.window.count();
  }
  const auto count = static_cast<double>(trials.size());
  return numerics::quadrature(
      {relative / count * std::abs(joules), offset_w / count * window.count()});
}

/// What the idle power of a trial may be off by, W, without the gain: net energy knows it, gross
/// energy does not need it.
double idle_uncertainty(const EnergyEstimate& estimate) {
  if (!estimate.net_energy) return 0.0;
  const double squares = std::pow(estimate.net_energy->without_gain(), 2) -
                         std::pow(estimate.energy->without_gain(), 2);
  return std::sqrt(std::max(0.0, squares)) / estimate.window.count();
}

std::vector<BudgetTerm> budget_of_one(const std::vector<Trial>& trials,
                                      const std::vector<double>& joules, double gain,
                                      Stopping stopping) {
  std::vector<BudgetTerm> budget;
  const auto add = [&budget](std::string_view term, double sd, char type) {
    if (sd > 0) budget.push_back({std::string(term), Joules(sd), type});
  };
  if (trials.size() == 1) {
    for (const BudgetTerm& term : trials.front().estimate.budget) {
      if (term.term == "gain" || term.term == "offset") continue;
      add(term.term, term.standard_uncertainty.value() / trials.front().executions, term.type);
    }
  } else {
    add("scatter", scatter_of_mean(joules, stopping), 'A');
    for (const std::string_view cause : kCommonCauses) {
      add(cause,
          mean_of_one(trials, [cause](const Trial& one) { return term_of(one.estimate, cause); }),
          'B');
    }
    add(kPhaseLock,
        rms_of_one(trials, [](const Trial& one) { return term_of(one.estimate, kPhaseLock); }),
        'B');
  }
  add("baseline",
      mean_of_one(
          trials,
          [](const Trial& one) { return idle_uncertainty(one.estimate) * one.pause.count(); }),
      'B');
  add("gain", gain, 'B');
  return budget;
}

double without_gain(const std::vector<BudgetTerm>& budget) {
  double squares = 0.0;
  for (const BudgetTerm& term : budget) {
    if (term.term != "gain") squares += std::pow(term.standard_uncertainty.value(), 2);
  }
  return std::sqrt(squares);
}

EnergyInterval interval_of(double joules, double plain, double gain) {
  const double sd = numerics::quadrature({plain, gain});
  return {interval95({joules, sd}), sd, gain};
}

/// Net energy of one execution; of several trials its scatter and what gross energies share.
std::optional<EnergyInterval> net_of_one(const std::vector<Trial>& trials,
                                         const EnergyEstimate& mean, Stopping stopping) {
  std::vector<double> joules;
  double relative = 0.0;
  for (const Trial& trial : trials) {
    const auto& net = trial.estimate.net_energy;
    if (!net) return std::nullopt;
    joules.push_back(net->interval.value / trial.executions);
    if (net->interval.value != 0.0) relative += net->gain_uncertainty / net->interval.value;
  }
  const double value = numerics::mean(joules);
  const double gain = std::abs(relative / static_cast<double>(trials.size()) * value);
  if (trials.size() == 1) {
    const double plain = trials.front().estimate.net_energy->without_gain();
    return interval_of(value, plain / trials.front().executions, gain);
  }
  double squares = std::pow(scatter_of_mean(joules, stopping), 2);
  for (const BudgetTerm& term : mean.budget) {
    if (term.term == "gain" || term.term == "scatter") continue;
    squares += std::pow(term.standard_uncertainty.value(), 2);
  }
  return interval_of(value, std::sqrt(squares), gain);
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

void add_reasons(EnergyEstimate& mean, const std::vector<Trial>& trials) {
  mean.valid = true;
  for (const Trial& trial : trials) {
    mean.valid = mean.valid && trial.estimate.valid;
    for (const Reason reason : trial.estimate.reasons) {
      // That is asked of the mean.
      if (reason == Reason::uncertainty_above_target) continue;
      auto& reasons = mean.reasons;
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
        reasons.push_back(reason);
      }
    }
  }
}

/// Doubt in fewer of them is chance: readings of one trial in fifty or so follow their model badly.
constexpr std::size_t kDoubtIn = 3;  // one in so many

}  // namespace

std::vector<Trial> usable_trials(const std::vector<Trial>& trials) {
  std::vector<Trial> with_energy;
  std::vector<Trial> whole;
  for (const Trial& trial : trials) {
    if (!joules_of_one(trial)) continue;
    with_energy.push_back(trial);
    if (trial.estimate.valid) whole.push_back(trial);
  }
  if (whole.empty()) return with_energy;
  const auto in_doubt = std::count_if(whole.begin(), whole.end(), is_in_doubt);
  if (kDoubtIn * static_cast<std::size_t>(in_doubt) < whole.size()) {
    std::erase_if(whole, is_in_doubt);
  }
  return whole;
}

std::optional<double> joules_of_one(const Trial& trial) {
  const EnergyEstimate& estimate = trial.estimate;
  if (!estimate.energy || !knows_its_idle(trial)) return std::nullopt;
  return (estimate.energy->interval.value - idle_of(trial)) / trial.executions;
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
                      .profile = first.profile};
  add_reasons(mean, trials.empty() ? all : trials);
  const std::vector<Trial>& read = trials.empty() ? all : trials;
  mean.truth = mean_where_all<Joules>(read, [](const Trial& one) {
    return one.truth ? std::optional(one.truth->value()) : std::nullopt;
  });
  add_readings(mean, read);
  if (trials.empty()) return mean;
  std::vector<double> joules;
  for (const Trial& trial : trials) joules.push_back(*joules_of_one(trial));
  const double value = numerics::mean(joules);
  const double gain = gain_of_one(trials, value, window);
  mean.budget = budget_of_one(trials, joules, gain, options.stopping);
  mean.energy = interval_of(value, without_gain(mean.budget), gain);
  mean.net_energy = net_of_one(trials, mean, options.stopping);
  mean.mean_power = Watts(value / window.count());
  mean.baseline = mean_where_all<Watts>(trials, [](const Trial& one) {
    return one.estimate.baseline ? std::optional(one.estimate.baseline->value()) : std::nullopt;
  });
  mean.observed_fraction = mean_where_all<double>(
      trials, [](const Trial& one) { return one.estimate.observed_fraction; });
  const auto half = half_width_without_gain(mean);
  const bool narrow = half && *half <= options.resolve;
  mean.resolved = narrow && std::none_of(trials.begin(), trials.end(), is_in_doubt);
  if (!narrow) mean.reasons.push_back(Reason::uncertainty_above_target);
  return mean;
}

}  // namespace truewatt::energy
