#include "truewatt/energy/former/joint_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace truewatt::energy {
namespace {

/// Sizes of the random part that are less likely by this factor, as its logarithm, do not count.
constexpr double kNegligible = 7.0;
/// A way of counting that is likelier by this factor, likewise, is believed against the profile.
constexpr double kClearlyLikelier = 5.0;

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

/// Takes a source for another where its readings are clearly likelier then: a counter that may add
/// up readings, or leave a gap, for one that integrates, which readings of a load in step with it
/// hardly tell; and, where it is known what ran, a ring whose stamps jitter for one whose readings
/// do.
void settle(std::vector<SourceView>& views, const WorkTimes& work, Span window, bool informed) {
  const auto likelihood = [&](const SourceView& one) {
    JointProblem problem({one}, work, window, informed);
    if (!problem.can_be_solved()) return -std::numeric_limits<double>::infinity();
    problem.learn_heights();
    return average(problem).log_likelihood;
  };
  for (SourceView& view : views) {
    const bool may_jitter = informed && !view.by_stamps.empty();
    if (!view.sums && !may_jitter) continue;
    SourceView other = view.sums ? integrating(view) : jittering(view);
    if (likelihood(other) > likelihood(view) + kClearlyLikelier) view = std::move(other);
  }
}

/// Sums in the place of readings: the joint estimate needs these.
bool is_condensed(const Recording& recording, const Window& window,
                  const std::vector<SourceView>& views) {
  return std::any_of(views.begin(), views.end(), [&](const SourceView& view) {
    const Trace* trace = find_trace(recording, view.source);
    return trace && std::any_of(trace->condensed.begin(), trace->condensed.end(),
                                [&](const CondensedStretch& stretch) {
                                  return stretch.begin < window.end && stretch.end > window.begin;
                                });
  });
}

Span span_of(const Window& window, HostTime origin) {
  return {seconds_between(origin, window.begin), seconds_between(origin, window.end)};
}

}  // namespace

std::optional<JointEstimate> joint_estimate(const Recording& recording, const Window& window,
                                            const Knowledge& knowledge,
                                            const std::optional<SourceId>& only) {
  if (!knowledge.profile || recording.traces.empty()) return std::nullopt;
  HostTime origin = recording.traces.front().begin;
  for (const Trace& trace : recording.traces) origin = std::min(origin, trace.begin);
  ChosenSources chosen = choose_sources(recording, window, knowledge, origin, only);
  if (chosen.used.empty() || is_condensed(recording, window, chosen.used)) return std::nullopt;
  const WorkTimes work = work_times(recording, window, origin);
  if (work.stints.empty()) return std::nullopt;
  const Span span = span_of(window, origin);
  const bool informed = !recording.activity.empty();
  settle(chosen.used, work, span, informed);
  JointProblem problem(std::move(chosen.used), work, span, informed);
  if (!problem.can_be_solved()) return std::nullopt;
  problem.learn_heights();
  Averaged averaged = average(problem);
  const bool is_sound = std::isfinite(averaged.energy_j) && std::isfinite(averaged.variance) &&
                        averaged.energy_j != 0.0;
  if (!is_sound) return std::nullopt;
  return JointEstimate{origin, std::move(problem), averaged, std::move(chosen.beside),
                       chosen.hidden_j};
}

}  // namespace truewatt::energy
