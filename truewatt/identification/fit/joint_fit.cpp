#include "truewatt/identification/fit/joint_fit.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit/fit_problem.hpp"

namespace truewatt::identification {
namespace {

constexpr double kConverged = 1e-7;  // relative decrease of the cost
constexpr double kWorstDamping = 1e8;

Eigen::Map<const Vector> as_vector(const std::vector<double>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

std::vector<double> times_of(std::span<const ticks::Tick> readings) {
  std::vector<double> times;
  for (const ticks::Tick& reading : readings) times.push_back(reading.time);
  return times;
}

}  // namespace

Parameters clamped(Parameters p) {
  p[kLogWindow] = std::clamp(p[kLogWindow], std::log(0.2e-3), std::log(kLongestWindow));
  p[kDelay] = std::clamp(p[kDelay], -20e-3, kLongestDelay);
  p[kLogLag] = std::clamp(p[kLogLag], std::log(0.5e-3), std::log(3.0));
  p[kLogRise] = std::clamp(p[kLogRise], std::log(1e-3), std::log(1.5));
  p[kLogOvershoot] = std::clamp(p[kLogOvershoot], std::log(5e-3), std::log(1.5));
  p[kLogWarmth] = std::clamp(p[kLogWarmth], std::log(0.05), std::log(20.0));
  return p;
}

double sensor_lag(const JointFit& fit) {
  const Parameters& p = fit.parameters;
  const double lag = fit.structure.lag ? std::exp(p[kLogLag]) : 0.0;
  return p[kDelay] + std::exp(p[kLogWindow]) / 2 + lag;
}

double sensor_lag_sd(const JointFit& fit) {
  const Parameters& p = fit.parameters;
  Parameters gradient{};
  gradient[kDelay] = 1.0;
  gradient[kLogWindow] = std::exp(p[kLogWindow]) / 2;
  if (fit.structure.lag) gradient[kLogLag] = std::exp(p[kLogLag]);
  double variance = 0.0;
  for (std::size_t i = 0; i < kParameters; ++i) {
    for (std::size_t j = 0; j < kParameters; ++j) {
      variance += gradient[i] * fit.covariance[i][j] * gradient[j];
    }
  }
  return std::sqrt(std::max(variance, 0.0));
}

double total_lag(const JointFit& fit) {
  const Parameters& p = fit.parameters;
  const double rise = fit.rise_share * std::exp(p[kLogRise]);
  const double overshoot = fit.overshoot_share * std::exp(p[kLogOvershoot]);
  return sensor_lag(fit) + rise - overshoot;
}

JointFit fit_from(const FitData& data, Structure structure, const Parameters& start,
                  double noise_sd_w, int most_iterations, std::optional<Parameter> held) {
  FitProblem problem(data, structure, noise_sd_w, held);
  JointFit best = problem.at(clamped(start));
  double damping = 1e-3;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    std::vector<std::size_t> active;
    const Matrix jacobian = problem.jacobian(best, active);
    const Vector weights = weights_of(best);
    const Matrix weighted = weights.asDiagonal() * jacobian;
    const Matrix gram = jacobian.transpose() * weighted;
    const Vector gradient = weighted.transpose() * as_vector(best.residuals);
    const auto linear = gram.cols() - static_cast<Eigen::Index>(active.size());
    bool improved = false;
    while (!improved && damping < kWorstDamping) {
      Matrix damped = gram;
      for (Eigen::Index j = linear; j < gram.cols(); ++j) damped(j, j) *= 1.0 + damping;
      const Vector step = damped.ldlt().solve(gradient);
      Parameters moved = best.parameters;
      for (std::size_t j = 0; j < active.size(); ++j) {
        const double most = active[j] == kDelay ? 0.03 : 1.0;
        moved[active[j]] += std::clamp(step[linear + static_cast<Eigen::Index>(j)], -most, most);
      }
      JointFit next = problem.at(clamped(moved));
      improved = std::isfinite(next.cost) && next.cost < best.cost;
      if (!improved) {
        damping *= 8;
        continue;
      }
      damping = std::max(damping / 8, 1e-9);
      const double gained = best.cost - next.cost;
      best = std::move(next);
      if (gained < kConverged * std::max(1.0, std::abs(best.cost))) return best;
    }
    if (!improved) break;
    // The columns kept are those of the last point tried; that was the best one.
  }
  return best;
}

std::vector<Response> responses_of(const JointFit& fit, std::span<const ticks::Tick> readings,
                                   std::span<const Work> work, std::span<const KernelTerm> kernel) {
  std::vector<double> ticks;
  for (const ticks::Tick& reading : readings) ticks.push_back(reading.time);
  const ObservationModel model = model_of(fit.parameters, fit.structure);
  std::vector<Response> sum = LoadResponse(work, Shape::settled).at(ticks, model, kernel);
  for (const Part& part : kParts) {
    const double share = part.sign * fit.*part.share;
    if (share == 0.0) continue;
    const auto responses = LoadResponse(work, part.shape, std::exp(fit.parameters[part.time]))
                               .at(ticks, model, kernel);
    for (std::size_t k = 0; k < sum.size(); ++k) {
      sum[k].reading += share * responses[k].reading;
      sum[k].by_time += share * responses[k].by_time;
      sum[k].by_window += share * responses[k].by_window;
    }
  }
  return sum;
}

std::vector<double> readings_of(const JointFit& fit, std::span<const ticks::Tick> readings,
                                std::span<const Work> work) {
  std::vector<double> values;
  for (const Response& response : responses_of(fit, readings, work)) {
    values.push_back(fit.idle_w + fit.amplitude_w * response.reading);
  }
  return values;
}

std::size_t readings_at_edges(const JointFit& fit, std::span<const ticks::Tick> readings,
                              std::span<const Work> work) {
  constexpr double kSettledShare = 0.02;
  const auto responses = LoadResponse(work, Shape::settled)
                             .at(times_of(readings), model_of(fit.parameters, fit.structure));
  std::vector<double> at_edges;
  for (const Response& one : responses) {
    const bool at_edge = one.reading > kSettledShare && one.reading < 1.0 - kSettledShare;
    if (at_edge) at_edges.push_back(one.reading);
  }
  if (at_edges.empty()) return 0;
  // Readings of a load in step with the source repeat themselves and tell nothing new.
  std::sort(at_edges.begin(), at_edges.end());
  const double step = kSettledShare * at_edges.back();
  std::size_t different = 1;
  for (double last = at_edges.front(); const double one : at_edges) {
    if (one - last < step) continue;
    last = one;
    ++different;
  }
  return different;
}

}  // namespace truewatt::identification
