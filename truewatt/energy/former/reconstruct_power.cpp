#include "truewatt/energy/former/reconstruct_power.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/energy/former/joint_estimate.hpp"

namespace truewatt::energy {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

/// A little less than the margin of idle that loads keep: beyond it the context may end.
constexpr double kDrawnBeside = 0.9;  // s
/// Points between the edges of more would show a beat that nobody drew.
constexpr std::size_t kMostStints = 500;
/// On either side of an edge.
constexpr double kAside = 20e-6;  // s

std::vector<double> times_of(const JointProblem& problem, std::size_t points) {
  const Span window = problem.window();
  const double from = std::max(problem.reach().begin, window.begin - kDrawnBeside);
  const double to = std::min(problem.reach().end, window.end + kDrawnBeside);
  std::vector<double> times;
  for (std::size_t i = 0; i <= points; ++i) {
    times.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(points));
  }
  for (const Stint& stint : problem.work().stints) {
    for (const double edge : {stint.begin, stint.end}) {
      times.push_back(edge - kAside);
      times.push_back(edge + kAside);
    }
  }
  std::erase_if(times, [from, to](double time) { return time < from || time > to; });
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

std::optional<ReconstructedPower> reconstruct_power(const Recording& recording,
                                                    const Window& window,
                                                    const Knowledge& knowledge, HostTime origin,
                                                    std::size_t points) {
  auto estimate = joint_estimate(recording, window, knowledge, std::nullopt);
  if (!estimate) return std::nullopt;
  JointProblem& problem = estimate->problem;
  if (problem.work().stints.size() > kMostStints) return std::nullopt;
  const std::vector<double> times = times_of(problem, points);
  const KrigingProfile profile = smooth(problem.with(estimate->averaged.likeliest), times);
  const double shift = seconds_between(origin, estimate->origin);
  ReconstructedPower power;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const SmoothedSum& random = profile.at[i];
    Vector by = -random.by_coefficient;
    for (std::size_t j = 0; j < problem.parts().size(); ++j) {
      by(static_cast<Index>(j)) += problem.parts()[j].course.value(times[i]);
    }
    const double variance = random.variance + by.dot(profile.solution.covariance * by);
    power.t_s.push_back(times[i] + shift);
    power.power_w.push_back(random.value + by.dot(profile.solution.coefficients));
    power.sd_w.push_back(std::sqrt(std::max(0.0, variance)));
  }
  for (const SourceView& view : problem.views()) power.sources.push_back(view.source);
  return power;
}

}  // namespace truewatt::energy
