#include "truewatt/energy/kriging/kriged_energy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "truewatt/energy/kriging/joint_problem.hpp"
#include "truewatt/energy/padding.hpp"
#include "truewatt/energy/phase_lock.hpp"
#include "truewatt/energy/validity.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

/// What the model leaves out, of the energy above idle.
constexpr double kModel = 0.0005;
/// Standard uncertainty for what a load in step with the sources may hide, of all that it may.
constexpr double kHidden = 1.0 / 3;
/// Half of what a counter that reads every millisecond is wrong by, where work in step with it ends
/// every 100 ms.
constexpr double kBetweenReadings = 0.004;
/// A source that turns less of a load in step with it into an error looks all the time.
constexpr double kComplete = 0.02;
/// ... and a counter less of one that is in step with its inner readings, a thousand a second.
constexpr double kCompleteCounter = 0.1;
/// Two sources that differ by more standard uncertainties than this disagree (0.1 % by chance).
constexpr double kDisagree = 3.29;

/// Sizes of the random part that are less likely by this factor, as its logarithm, do not count.
constexpr double kNegligible = 7.0;
/// A way of counting that is likelier by this factor, likewise, is believed against the profile.
constexpr double kClearlyLikelier = 5.0;

/// One energy from many sizes of the random part.
struct Averaged {
  double energy_j = 0.0;
  double variance = 0.0;
  RandomPart likeliest;
  double log_likelihood = 0.0;  ///< with it
};

/// One size of the random part, and what the readings say with it.
struct Tried {
  RandomPart random;
  KrigingSolution solution;
};

/// Solutions for the sizes that count, of those given from small to large: from the middle on
/// either way, as long as the likelihood does not fall too far.
void try_sizes(JointProblem& problem, const std::vector<RandomPart>& sizes,
               std::vector<Tried>& tried) {
  double best = -std::numeric_limits<double>::infinity();
  const auto counts = [&](const RandomPart& random) {
    tried.push_back({random, solve(problem.with(random))});
    const double likelihood = tried.back().solution.log_likelihood;
    best = std::max(best, likelihood);
    return likelihood > best - kNegligible;
  };
  const std::size_t middle = sizes.size() / 2;
  for (std::size_t i = middle; i < sizes.size() && counts(sizes[i]); ++i) {
  }
  for (std::size_t i = middle; i-- > 0 && counts(sizes[i]);) {
  }
}

Averaged average(JointProblem& problem) {
  std::vector<Tried> tried;
  for (const auto& sizes : problem.candidates()) try_sizes(problem, sizes, tried);
  const auto likeliest =
      std::max_element(tried.begin(), tried.end(), [](const Tried& a, const Tried& b) {
        return a.solution.log_likelihood < b.solution.log_likelihood;
      });
  const double best = likeliest->solution.log_likelihood;
  double weights = 0.0;
  Averaged result{.likeliest = likeliest->random, .log_likelihood = best};
  for (const Tried& one : tried) {
    const double weight = std::exp(one.solution.log_likelihood - best);
    weights += weight;
    result.energy_j += weight * one.solution.energy_j;
  }
  result.energy_j /= weights;
  for (const Tried& one : tried) {
    const double weight = std::exp(one.solution.log_likelihood - best) / weights;
    const double off = one.solution.energy_j - result.energy_j;
    result.variance += weight * (one.solution.variance + off * off);
  }
  return result;
}

/// Shares of the variance by the name of the term and its type.
class Shares {
 public:
  void add(const std::string& term, char type, double variance) {
    shares_[term].first = type;
    shares_[term].second += variance;
  }
  std::vector<BudgetTerm> terms() const {
    std::vector<BudgetTerm> terms;
    for (const auto& [term, share] : shares_) {
      terms.push_back({term, Joules(std::sqrt(share.second)), share.first});
    }
    return terms;
  }

 private:
  std::map<std::string, std::pair<char, double>> shares_;
};

void add_part(Shares& shares, PowerPart::Role role, double variance) {
  using enum PowerPart::Role;
  const bool beside =
      role == idle || role == before || role == context || role == after_glow || role == after_load;
  shares.add(beside ? "baseline" : "work", beside ? 'A' : 'B', variance);
}

void add_nuisance(Shares& shares, Nuisance::Kind kind, double variance) {
  switch (kind) {
    case Nuisance::Kind::age:
      return shares.add("ticks", 'B', variance);
    case Nuisance::Kind::window:
    case Nuisance::Kind::lag:
      return shares.add("lag", 'B', variance);
    case Nuisance::Kind::gain:
    case Nuisance::Kind::offset:
      return shares.add("relative_gain", 'B', variance);
    case Nuisance::Kind::edges:
    case Nuisance::Kind::gap_begin:
    case Nuisance::Kind::gap_length:
      return shares.add("edges", 'B', variance);
    case Nuisance::Kind::count:
      return shares.add("baseline", 'A', variance);
  }
}

/// What the solution alone does not say.
struct Allowances {
  double averaging = 0.0;  ///< variance that averaging over random parts adds, J^2
  double model_j = 0.0;    ///< standard uncertainty for what the model leaves out
  double lock_j = 0.0;     ///< ... for a load in step with the sources
};

/// Everything that is random, by what it is.
std::vector<BudgetTerm> budget_of(const JointProblem& problem, const KrigingSolution& solution,
                                  const Allowances& allowed) {
  Shares shares;
  for (std::size_t k = 0; k < problem.readings(); ++k) {
    const double weight = solution.weights[k] * solution.weights[k];
    const ReadingNoise& noise = problem.noise()[k];
    shares.add("repeatability", 'A', weight * noise.scatter);
    shares.add("ticks", 'B', weight * noise.ticks);
    shares.add("quantum", 'B', weight * noise.quantum);
  }
  shares.add("unobserved", 'A', solution.fluctuation_share + allowed.averaging);
  for (std::size_t j = 0; j < problem.parts().size(); ++j) {
    add_part(shares, problem.parts()[j].role, solution.coefficient_shares(static_cast<Index>(j)));
  }
  for (std::size_t n = 0; n < problem.nuisances().size(); ++n) {
    add_nuisance(shares, problem.nuisances()[n].kind,
                 solution.coefficient_shares(static_cast<Index>(problem.parts().size() + n)));
  }
  shares.add("model", 'B', allowed.model_j * allowed.model_j);
  if (allowed.lock_j > 0) shares.add("phase_lock", 'B', allowed.lock_j * allowed.lock_j);
  return shares.terms();
}

/// Idle before the work, and after the load.
struct IdlePowers {
  Uncertain before_w;
  Uncertain after_w;
};

IdlePowers idle_powers(const JointProblem& problem, const KrigingSolution& solution) {
  Vector before = Vector::Zero(solution.coefficients.size());
  Vector after = before;
  for (std::size_t j = 0; j < problem.parts().size(); ++j) {
    const auto column = static_cast<Index>(j);
    const PowerPart::Role role = problem.parts()[j].role;
    if (role == PowerPart::Role::idle) before(column) = after(column) = 1.0;
    const bool later = role == PowerPart::Role::after_glow || role == PowerPart::Role::after_load;
    if (later) after(column) = 1.0;
  }
  const auto value = [&solution](const Vector& row) {
    return Uncertain{row.dot(solution.coefficients),
                     std::sqrt(std::max(0.0, row.dot(solution.covariance * row)))};
  };
  return {value(before), value(after)};
}

/// The energy by one source alone.
Uncertain alone(const SourceView& view, const JointProblem& all, const RandomPart& random) {
  JointProblem problem({view}, all.work(), all.window(), all.informed());
  if (!problem.can_be_solved()) return {0.0, std::numeric_limits<double>::infinity()};
  problem.learn_heights();
  const KrigingSolution solution = solve(problem.with(random));
  const double length = all.window().end - all.window().begin;
  return {solution.energy_j,
          numerics::quadrature({std::sqrt(solution.variance), view.gain_sd * solution.energy_j,
                                view.offset_sd * length, kModel * solution.energy_j})};
}

bool disagree(const JointProblem& problem, const RandomPart& random,
              const std::vector<SourceView>& beside) {
  std::vector<SourceView> views = problem.views();
  views.insert(views.end(), beside.begin(), beside.end());
  if (views.size() < 2) return false;
  std::vector<Uncertain> energies;
  for (const SourceView& view : views) energies.push_back(alone(view, problem, random));
  for (std::size_t i = 0; i < energies.size(); ++i) {
    for (std::size_t j = i + 1; j < energies.size(); ++j) {
      const double sd = numerics::quadrature(
          {energies[i].standard_uncertainty, energies[j].standard_uncertainty});
      if (std::abs(energies[i].value - energies[j].value) > kDisagree * sd) return true;
    }
  }
  return false;
}

/// What a load in step with the sources may hide at most, as a share of the energy. `seen` is the
/// share of it that they show to be drawn above idle: what a load really draws may be more than
/// that by as much as they hide.
double hidden_share(const std::vector<SourceView>& views, double seen) {
  double least = 1.0;
  for (const SourceView& view : views) {
    least = std::min(least, counts_energy(view.source) ? 0.0 : view.alias_gain);
  }
  return least < 0.5 ? std::min(1.0, least * seen / (1 - 2 * least)) : 1.0;
}

/// What an energy counter may miss of an unknown load between its inner readings, as a share of
/// what the load draws.
double sampling_share(const JointProblem& problem) {
  const SourceView& believed = problem.views().front();
  const bool counts_unknown = !problem.informed() && counts_energy(believed.source);
  return counts_unknown ? kBetweenReadings * believed.alias_gain : 0.0;
}

/// The source whose gain the joules are in stands first: one that somebody calibrated, else the
/// first in the order in which sources are believed.
void put_believed_first(std::vector<SourceView>& views) {
  static constexpr std::array kOrder = {SourceKind::energy_counter, SourceKind::power_samples,
                                        SourceKind::power_instant, SourceKind::power_usage,
                                        SourceKind::power_average};
  const auto rank = [](const SourceView& view) {
    const auto at = std::find(kOrder.begin(), kOrder.end(), view.source.kind);
    return std::pair(view.calibrated ? 0 : 1, at - kOrder.begin());
  };
  std::stable_sort(views.begin(), views.end(),
                   [&rank](const SourceView& a, const SourceView& b) { return rank(a) < rank(b); });
}

bool is_counter(const SourceView& view) { return counts_energy(view.source); }
bool is_complete(const SourceView& view) {
  return view.alias_gain <= (is_counter(view) ? kCompleteCounter : kComplete);
}

/// Without knowing what ran, a source that looks part of the time may be in step with it. Those
/// that look all the time are believed alone, else energy counters: between their inner readings, a
/// millisecond apart, hardly any load hides. Returns what is left out.
std::vector<SourceView> leave_out_part_time(std::vector<SourceView>& views) {
  for (const auto believed : {is_complete, is_counter}) {
    const auto first_out = std::stable_partition(views.begin(), views.end(), believed);
    if (first_out == views.begin()) continue;
    std::vector<SourceView> out(first_out, views.end());
    views.erase(first_out, views.end());
    return out;
  }
  return {};
}

/// A reset or a loss spoils what a source says; others may still tell.
bool is_spoiled(const Recording& recording, const Window& window, const Trace& trace) {
  const auto faults = why_not_whole(recording, trace, window, window.begin, window.end, 1.0);
  return std::any_of(faults.begin(), faults.end(), [](Reason reason) {
    return reason == Reason::counter_reset || reason == Reason::gpu_lost ||
           reason == Reason::clock_step;
  });
}

/// A counter that may add up readings, or leave a gap, is taken for one that integrates where its
/// readings are clearly likelier then: those of a load in step with it hardly tell.
void settle_counting(std::vector<SourceView>& views, const WorkTimes& work, Span window,
                     bool informed) {
  for (SourceView& view : views) {
    if (!view.sums) continue;
    const SourceView other = integrating(view);
    const auto likelihood = [&](const SourceView& one) {
      JointProblem problem({one}, work, window, informed);
      if (!problem.can_be_solved()) return -std::numeric_limits<double>::infinity();
      problem.learn_heights();
      return average(problem).log_likelihood;
    };
    if (likelihood(other) > likelihood(view) + kClearlyLikelier) view = other;
  }
}

Span span_of(const Window& window, HostTime origin) {
  return {seconds_between(origin, window.begin), seconds_between(origin, window.end)};
}

/// The sources that are used, and those that only have to agree.
struct Chosen {
  std::vector<SourceView> used;
  std::vector<SourceView> beside;
  double hidden_j = 0.0;  ///< standard uncertainty for a load that is seen to be in step
};

/// What a load that is seen to be in step with the driver's ring hides from it, and from a counter
/// that may be made of it.
double hidden_from(const std::vector<SourceView>& views, Span window) {
  if (std::any_of(views.begin(), views.end(), [](const auto& view) { return view.integrates; })) {
    return 0.0;
  }
  for (const SourceView& view : views) {
    if (view.source.kind != SourceKind::power_samples) continue;
    const ObservationModel& model = view.model;
    const double looks = (model.averaging_window + 2 * model.time_constant).count();
    return hidden_in_repeats(view.ticks, model.update_period.count(), looks, window.begin,
                             window.end);
  }
  return 0.0;
}

Chosen choose(const Recording& recording, const Window& window, const Knowledge& knowledge,
              HostTime origin, const std::optional<SourceId>& only) {
  Recording usable;
  for (const Trace& trace : recording.traces) {
    if (only && trace.source != *only) continue;
    if (!is_spoiled(recording, window, trace)) usable.traces.push_back(trace);
  }
  Chosen chosen{.used = source_views(usable, knowledge, origin)};
  if (recording.activity.empty()) {
    chosen.hidden_j = hidden_from(chosen.used, span_of(window, origin));
    chosen.beside = leave_out_part_time(chosen.used);
  }
  // What is wrong of a source that may be in step with the load says nothing of one that may not.
  if (std::any_of(chosen.used.begin(), chosen.used.end(), is_complete)) chosen.beside.clear();
  put_believed_first(chosen.used);
  return chosen;
}

KrigedEnergy conclude(JointProblem& problem, const Averaged& averaged, const Chosen& chosen) {
  const KrigingSolution solution = solve(problem.with(averaged.likeliest), true);
  const IdlePowers idle = idle_powers(problem, solution);
  const double length = problem.window().end - problem.window().begin;
  const double dynamic =
      averaged.energy_j - (idle.before_w.value + idle.after_w.value) / 2 * length;
  KrigedEnergy result{.informed = problem.informed()};
  if (!result.informed) {
    result.lock_share = hidden_share(problem.views(), std::abs(dynamic / averaged.energy_j));
  }
  const Allowances allowed{
      .averaging = std::max(0.0, averaged.variance - solution.variance),
      .model_j = numerics::quadrature({kModel, sampling_share(problem)}) * std::abs(dynamic),
      .lock_j = numerics::quadrature(
          {kHidden * result.lock_share * std::abs(averaged.energy_j), chosen.hidden_j})};
  result.energy = assemble(averaged.energy_j, budget_of(problem, solution, allowed), idle.before_w,
                           idle.after_w, length);
  for (const SourceView& view : problem.views()) result.sources.push_back(view.source);
  result.sources_disagree = disagree(problem, averaged.likeliest, chosen.beside);
  result.misfit = problem.views().front().strays;
  return result;
}

}  // namespace

std::optional<KrigedEnergy> kriged_energy(const Recording& recording, const Window& window,
                                          const Knowledge& knowledge,
                                          const std::optional<SourceId>& only) {
  if (!knowledge.profile || recording.traces.empty()) return std::nullopt;
  HostTime origin = recording.traces.front().begin;
  for (const Trace& trace : recording.traces) origin = std::min(origin, trace.begin);
  Chosen chosen = choose(recording, window, knowledge, origin, only);
  if (chosen.used.empty()) return std::nullopt;
  const WorkTimes work = work_times(recording, window, origin);
  if (work.stints.empty()) return std::nullopt;
  const Span span = span_of(window, origin);
  const bool informed = !recording.activity.empty();
  settle_counting(chosen.used, work, span, informed);
  JointProblem problem(std::move(chosen.used), work, span, informed);
  if (!problem.can_be_solved()) return std::nullopt;
  problem.learn_heights();
  const Averaged averaged = average(problem);
  const bool is_sound = std::isfinite(averaged.energy_j) && std::isfinite(averaged.variance) &&
                        averaged.energy_j != 0.0;
  if (!is_sound) return std::nullopt;
  return conclude(problem, averaged, chosen);
}

}  // namespace truewatt::energy
