#include "truewatt/energy/aggregate/execution_mean.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

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
  const bool wide =
      std::find(reasons.begin(), reasons.end(), Reason::uncertainty_above_target) != reasons.end();
  return std::any_of(reasons.begin(), reasons.end(), puts_in_doubt) ||
         (!trial.estimate.resolved && !wide);
}

/// The trials that a mean rests on, and how much each counts.
struct Pool {
  std::vector<Trial> trials;
  MeanOfRuns gross;  ///< of one execution; of a single trial the value alone
};

std::optional<OwnDoubt> doubt_of_one(const Trial& trial) {
  const auto own = own_doubt_of(trial.estimate);
  if (!own) return std::nullopt;
  return OwnDoubt{own->random / trial.executions, own->all / trial.executions};
}

/// The value that is known best.
double joules_of_best(const std::vector<RunValue>& runs) {
  const auto doubt = [](const RunValue& run) {
    return run.own ? run.own->all : std::numeric_limits<double>::infinity();
  };
  return std::min_element(runs.begin(), runs.end(),
                          [doubt](const RunValue& one, const RunValue& other) {
                            return doubt(one) < doubt(other);
                          })
      ->value;
}

Pool pool_of(std::vector<Trial> trials) {
  std::vector<RunValue> runs;
  for (const Trial& trial : trials) runs.push_back({*joules_of_one(trial), doubt_of_one(trial)});
  Pool pool{.trials = std::move(trials)};
  if (runs.size() > 1) {
    pool.gross = mean_of_runs(runs, joules_of_best(runs));
  } else {
    pool.gross = {.value = runs.front().value, .weights = {1.0}};
  }
  return pool;
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

/// Mean over the trials of `of(trial)`.
template <class Of>
double mean_of(const Pool& pool, Of of) {
  double sum = 0.0;
  for (std::size_t i = 0; i < pool.trials.size(); ++i) {
    sum += pool.gross.weights[i] * of(pool.trials[i]);
  }
  return sum;
}

/// ... of `joules(trial)` of one execution.
template <class Of>
double mean_of_one(const Pool& pool, Of joules) {
  return mean_of(pool, [&](const Trial& trial) { return joules(trial) / trial.executions; });
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
double rms_of_one(const Pool& pool, Of joules) {
  return std::sqrt(mean_of(
      pool, [&](const Trial& trial) { return std::pow(joules(trial) / trial.executions, 2); }));
}

/// Gain's and offset's standard uncertainty of one execution, J.
double gain_of_one(const Pool& pool, Seconds window) {
  const double relative = mean_of(pool, [](const Trial& trial) {
    const double energy = std::abs(trial.estimate.energy->interval.value);
    return energy > 0 ? gain_and_offset(trial.estimate).gain_j / energy : 0.0;
  });
  const double offset_w = mean_of(pool, [](const Trial& trial) {
    return gain_and_offset(trial.estimate).offset_j / trial.estimate.window.count();
  });
  return numerics::quadrature({relative * std::abs(pool.gross.value), offset_w * window.count()});
}

/// What the idle power of a trial may be off by, W, without the gain: net energy knows it, gross
/// energy does not need it.
double idle_uncertainty(const EnergyEstimate& estimate) {
  if (!estimate.net_energy) return 0.0;
  const double squares = std::pow(estimate.net_energy->without_gain(), 2) -
                         std::pow(estimate.energy->without_gain(), 2);
  return std::sqrt(std::max(0.0, squares)) / estimate.window.count();
}

double quadrature_of(const std::vector<BudgetTerm>& budget) {
  double squares = 0.0;
  for (const BudgetTerm& term : budget) squares += std::pow(term.standard_uncertainty.value(), 2);
  return std::sqrt(squares);
}

/// In joules, for a mean of so many.
EndsAt in_joules(EndsAt share, double joules) {
  return share ? EndsAt(*share * std::abs(joules)) : std::nullopt;
}

/// Of one execution, without the gain.
std::vector<BudgetTerm> budget_of_one(const Pool& pool, EndsAt ends_at) {
  std::vector<BudgetTerm> budget;
  const auto add = [&budget](std::string_view term, double sd, char type) {
    if (sd > 0) budget.push_back({std::string(term), Joules(sd), type});
  };
  const auto mean_term = [&pool](std::string_view term) {
    return mean_of_one(pool, [term](const Trial& one) { return term_of(one.estimate, term); });
  };
  if (pool.trials.size() == 1) {
    const Trial& only = pool.trials.front();
    for (const BudgetTerm& term : only.estimate.budget) {
      if (term.term == "gain" || term.term == "offset") continue;
      add(term.term, term.standard_uncertainty.value() / only.executions, term.type);
    }
  } else {
    add(kQuantum, mean_term(kQuantum), 'B');
    add(kMisfitTerm, mean_term(kMisfitTerm), 'B');
    for (const std::string_view cause : kCommonCauses) add(cause, mean_term(cause), 'B');
    add(kPhaseLock,
        rms_of_one(pool, [](const Trial& one) { return term_of(one.estimate, kPhaseLock); }), 'B');
  }
  add("baseline",
      mean_of_one(
          pool,
          [](const Trial& one) { return idle_uncertainty(one.estimate) * one.pause.count(); }),
      'B');
  if (pool.trials.size() > 1) {
    const TermsOfRuns runs =
        terms_beside(pool.gross, quadrature_of(budget), in_joules(ends_at, pool.gross.value));
    add(kScatter, runs.scatter, 'A');
    add(kWithinRuns, runs.within, 'B');
  }
  return budget;
}

EnergyInterval interval_of(double joules, double plain, double gain) {
  const double sd = numerics::quadrature({plain, gain});
  return {interval95({joules, sd}), sd, gain};
}

/// Net energy of one execution; of several trials its scatter and what gross energies share.
std::optional<EnergyInterval> net_of_one(const Pool& pool, const EnergyEstimate& mean,
                                         EndsAt ends_at) {
  std::vector<RunValue> runs;
  for (const Trial& trial : pool.trials) {
    const auto& net = trial.estimate.net_energy;
    if (!net) return std::nullopt;
    runs.push_back({net->interval.value / trial.executions, doubt_of_one(trial)});
  }
  const double relative = mean_of(pool, [](const Trial& trial) {
    const EnergyInterval& net = *trial.estimate.net_energy;
    return net.interval.value != 0.0 ? net.gain_uncertainty / net.interval.value : 0.0;
  });
  if (pool.trials.size() == 1) {
    const double value = runs.front().value;
    const double plain = pool.trials.front().estimate.net_energy->without_gain();
    return interval_of(value, plain / pool.trials.front().executions, std::abs(relative * value));
  }
  const MeanOfRuns net = mean_of_runs(runs, pool.gross.value);
  double squares = 0.0;
  for (const BudgetTerm& term : mean.budget) {
    if (term.term == "gain" || averages_out(term.term)) continue;
    squares += std::pow(term.standard_uncertainty.value(), 2);
  }
  const double others = std::sqrt(squares);
  const TermsOfRuns own = terms_beside(net, others, in_joules(ends_at, pool.gross.value));
  return interval_of(net.value, numerics::quadrature({own.scatter, own.within, others}),
                     std::abs(relative * net.value));
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

bool has_reason(const Trial& trial, Reason reason) {
  const auto& reasons = trial.estimate.reasons;
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

/// Trials without an energy, or with readings missing, are left out; a third of them, or a device
/// that is gone, are not.
bool are_whole(const std::vector<Trial>& all) {
  const auto lacking = std::count_if(all.begin(), all.end(), [](const Trial& trial) {
    return !joules_of_one(trial) || !trial.estimate.valid;
  });
  const bool lost = std::any_of(all.begin(), all.end(), [](const Trial& trial) {
    return has_reason(trial, Reason::gpu_lost);
  });
  return !lost && kLackingIn * static_cast<std::size_t>(lacking) < all.size();
}

void add_reasons(EnergyEstimate& mean, const std::vector<Trial>& trials) {
  for (const Trial& trial : trials) {
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
  const Pool pool = pool_of(usable_trials(trials));
  for (std::size_t i = 0; i < used.size(); ++i) weights[used[i]] = pool.gross.weights[i];
  return weights;
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
  mean.valid = are_whole(all);
  add_reasons(mean, trials.empty() || !mean.valid ? all : trials);
  const std::vector<Trial>& read = trials.empty() ? all : trials;
  mean.truth = mean_where_all<Joules>(read, [](const Trial& one) {
    return one.truth ? std::optional(one.truth->value()) : std::nullopt;
  });
  add_readings(mean, read);
  if (trials.empty()) return mean;
  const Pool pool = pool_of(trials);
  const double value = pool.gross.value;
  const double gain = gain_of_one(pool, window);
  mean.budget = budget_of_one(pool, options.ends_at);
  mean.energy = interval_of(value, quadrature_of(mean.budget), gain);
  if (gain > 0) mean.budget.push_back({"gain", Joules(gain), 'B'});
  mean.net_energy = net_of_one(pool, mean, options.ends_at);
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
