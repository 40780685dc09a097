#include "truewatt/energy/former/kriged_energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "truewatt/energy/former/joint_estimate.hpp"
#include "truewatt/energy/former/padding.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Cause;

using Eigen::Index;
using Vector = Eigen::VectorXd;

/// What the model leaves out, of the energy above idle.
constexpr double kModel = 0.0005;
/// Standard uncertainty for what a load in step with the sources may hide, of all that it may.
constexpr double kHidden = 1.0 / 3;
/// Half of what a counter that reads every millisecond is wrong by, where work in step with it ends
/// every 100 ms.
constexpr double kBetweenReadings = 0.004;
/// Two sources that differ by more standard uncertainties than this disagree (0.1 % by chance).
constexpr double kDisagree = 3.29;

/// Shares of the variance by cause.
class Shares {
 public:
  void add(Cause cause, double variance) { shares_[cause] += variance; }
  std::vector<uncertainty::Term> terms() const {
    std::vector<uncertainty::Term> terms;
    for (const auto& [cause, variance] : shares_) terms.push_back({cause, std::sqrt(variance)});
    return terms;
  }

 private:
  std::map<Cause, double> shares_;
};

void add_part(Shares& shares, PowerPart::Role role, double variance) {
  using enum PowerPart::Role;
  const bool beside =
      role == idle || role == before || role == context || role == after_glow || role == after_load;
  shares.add(beside ? Cause::baseline : Cause::work, variance);
}

Cause cause_of(Nuisance::Kind kind) {
  switch (kind) {
    case Nuisance::Kind::age:
      return Cause::age;
    case Nuisance::Kind::window:
    case Nuisance::Kind::lag:
      return Cause::lag;
    case Nuisance::Kind::gain:
    case Nuisance::Kind::offset:
      return Cause::relative_gain;
    case Nuisance::Kind::edges:
      return Cause::edges;
    case Nuisance::Kind::gap_begin:
    case Nuisance::Kind::gap_length:
      return Cause::gaps;
    case Nuisance::Kind::count:
      break;
  }
  return Cause::baseline;
}

/// What the solution alone does not say.
struct Allowances {
  double averaging = 0.0;  ///< variance that averaging over random parts adds, J^2
  double model_j = 0.0;    ///< standard uncertainty for what the model leaves out
  double lock_j = 0.0;     ///< ... for a load in step with the sources
};

/// Everything that is random, by what it is.
std::vector<uncertainty::Term> budget_of(const JointProblem& problem,
                                         const KrigingSolution& solution,
                                         const Allowances& allowed) {
  Shares shares;
  for (std::size_t k = 0; k < problem.readings(); ++k) {
    const double weight = solution.weights[k] * solution.weights[k];
    const ReadingNoise& noise = problem.noise()[k];
    shares.add(Cause::repeatability, weight * noise.scatter);
    shares.add(Cause::tick_brackets, weight * noise.ticks);
    shares.add(Cause::quantum, weight * noise.quantum);
  }
  shares.add(Cause::unobserved, solution.fluctuation_share + allowed.averaging);
  for (std::size_t j = 0; j < problem.parts().size(); ++j) {
    add_part(shares, problem.parts()[j].role, solution.coefficient_shares(static_cast<Index>(j)));
  }
  for (std::size_t n = 0; n < problem.nuisances().size(); ++n) {
    shares.add(cause_of(problem.nuisances()[n].kind),
               solution.coefficient_shares(static_cast<Index>(problem.parts().size() + n)));
  }
  shares.add(Cause::model, allowed.model_j * allowed.model_j);
  if (allowed.lock_j > 0) shares.add(Cause::phase_lock, allowed.lock_j * allowed.lock_j);
  return shares.terms();
}

/// Idle before the window and behind it, or before and behind the work that it cuts into.
struct IdlePowers {
  Uncertain before_w;
  Uncertain after_w;
};

Span with_work_cut(const WorkTimes& work, Span window) {
  Span whole = window;
  for (const Stint& stint : work.stints) {
    if (stint.begin < window.begin && stint.end > window.begin)
      whole.begin = std::min(whole.begin, stint.begin);
    if (stint.begin < window.end && stint.end > window.end)
      whole.end = std::max(whole.end, stint.end);
  }
  return whole;
}

/// Idle as it is where no work runs at `time`.
Uncertain idle_at(double time, const JointProblem& problem, const KrigingSolution& solution) {
  using enum PowerPart::Role;
  Vector row = Vector::Zero(solution.coefficients.size());
  for (std::size_t j = 0; j < problem.parts().size(); ++j) {
    const PowerPart& part = problem.parts()[j];
    const bool glows = part.role == after_glow && time >= problem.work().first_end();
    const bool is_later = part.role == after_load && part.course.value(time) > 0;
    if (part.role == idle || glows || is_later) row(static_cast<Index>(j)) = 1.0;
  }
  return {row.dot(solution.coefficients),
          std::sqrt(std::max(0.0, row.dot(solution.covariance * row)))};
}

IdlePowers idle_powers(const JointProblem& problem, const KrigingSolution& solution) {
  const Span whole = with_work_cut(problem.work(), problem.window());
  return {idle_at(whole.begin, problem, solution), idle_at(whole.end, problem, solution)};
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

KrigedEnergy conclude(JointEstimate& estimate) {
  JointProblem& problem = estimate.problem;
  const Averaged& averaged = estimate.averaged;
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
          {kHidden * result.lock_share * std::abs(averaged.energy_j), estimate.hidden_j})};
  result.energy = assemble(averaged.energy_j, budget_of(problem, solution, allowed), idle.before_w,
                           idle.after_w, length);
  for (const SourceView& view : problem.views()) result.sources.push_back(view.source);
  result.sources_disagree = disagree(problem, averaged.likeliest, estimate.beside);
  result.misfit = problem.views().front().strays;
  return result;
}

}  // namespace

std::optional<KrigedEnergy> kriged_energy(const Recording& recording, const Window& window,
                                          const Knowledge& knowledge,
                                          const std::optional<SourceId>& only) {
  auto estimate = joint_estimate(recording, window, knowledge, only);
  if (!estimate) return std::nullopt;
  return conclude(*estimate);
}

}  // namespace truewatt::energy
