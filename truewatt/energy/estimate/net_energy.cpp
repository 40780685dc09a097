#include "truewatt/energy/estimate/net_energy.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

double length_of(const CourseWindow& window) { return window.end - window.begin; }

double mean_power_in(const EnergyCourse& course, const CourseWindow& window) {
  return course.mean_power(window.begin, window.end);
}

void add_above_given(ScaleEnergy& energy, const NetQuery& query) {
  const Response& response = query.response;
  const double watts = query.rule.given.value() * response.gain.value + response.offset_w.value;
  energy.net_j = {energy.gross_j.value - watts * length_of(query.asked),
                  energy.gross_j.standard_uncertainty};
  energy.baseline_w = watts;
  energy.baseline_kind = BaselineKind::given;
}

/// Above the mean of this idle and, if that shows how it drifted, of that behind the window.
void add_above(ScaleEnergy& energy, const EnergyCourse& course, const IdleStretches& idle,
               const Baseline& found, const NetQuery& query) {
  std::vector<CourseWindow> stretches{found.stretch};
  if (found.behind &&
      idle.are_alike(mean_power_in(course, *found.behind), mean_power_in(course, found.stretch))) {
    stretches.push_back(*found.behind);
  }
  const double length = length_of(query.asked);
  const double share = 1.0 / static_cast<double>(stretches.size());
  std::vector<CourseWindow> windows{query.asked};
  std::vector<double> weights{1.0};
  double baseline = 0.0;
  for (const CourseWindow& one : stretches) {
    windows.push_back(one);
    weights.push_back(-share * length / length_of(one));
    baseline += share * mean_power_in(course, one);
  }
  const CourseEnergy net = with_terms(course.weighted_sum(windows, weights), query.terms);
  const double change =
      mean_power_in(course, stretches.back()) - mean_power_in(course, stretches.front());
  const double drift = change * length / std::sqrt(12.0);
  energy.net_j = {net.joules, numerics::quadrature({net.standard_uncertainty, drift})};
  energy.baseline_w = baseline;
  energy.baseline_kind = found.kind;
}

bool is_below_zero(const Uncertain& net) {
  return net.value < -kCoverageFactor95 * net.standard_uncertainty;
}

/// Whether idle at another level would change the net energy by more than its interval.
bool has_other_baseline(const ScaleEnergy& energy, const IdleStretches& idle,
                        const CourseWindow& asked) {
  const double length = length_of(asked);
  const double half = kCoverageFactor95 * energy.net_j->standard_uncertainty;
  const std::vector<double> levels = idle.levels_about(asked);
  return std::any_of(levels.begin(), levels.end(), [&](double level) {
    return !idle.are_alike(level, *energy.baseline_w) &&
           std::abs(level - *energy.baseline_w) * length > half;
  });
}

/// After known work the board draws what it draws between its stretches.
std::optional<double> idle_after(const EnergyCourse& course, const CourseHints& hints,
                                 const CourseWindow& asked) {
  constexpr double kAfter = 0.4;  // s
  const double from = asked.end + course.cell_length();
  const bool is_idle = std::none_of(hints.work.begin(), hints.work.end(), [&](const auto& work) {
    return work.begin < from + kAfter && work.end > from;
  });
  if (hints.work.empty() || !is_idle || from + kAfter >= course.span().end) return std::nullopt;
  return course.mean_power(from, from + kAfter);
}

}  // namespace

std::optional<CourseWindow> add_net(ScaleEnergy& energy, const EnergyCourse& course,
                                    const IdleStretches& idle, const CourseHints& hints,
                                    const NetQuery& query) {
  if (query.rule.kind == BaselineKind::given) {
    add_above_given(energy, query);
    return std::nullopt;
  }
  auto found = idle.baseline_of(query.asked, query.rule.kind);
  if (!found) return std::nullopt;
  add_above(energy, course, idle, *found, query);
  // No work gives energy back: where idle fell meanwhile, that before tells nothing of the window.
  if (!query.rule.kind && found->kind == BaselineKind::before && is_below_zero(*energy.net_j)) {
    const auto lowest = idle.baseline_of(query.asked, BaselineKind::lowest);
    if (lowest) found = lowest;
    if (lowest) add_above(energy, course, idle, *found, query);
  }
  energy.other_baseline = has_other_baseline(energy, idle, query.asked);
  energy.idle_after_w = idle_after(course, hints, query.asked);
  return found->stretch;
}

}  // namespace truewatt::energy
