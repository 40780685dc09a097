#include "truewatt/identification/fit/fit_uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit/fit_problem.hpp"
#include "truewatt/identification/fit/larger_covariance.hpp"

namespace truewatt::identification {
namespace {

/// Standard deviations of what is believed before anything was read.
constexpr double kLogPrior = 3.0;
constexpr double kDelayPrior = 0.05;  // s

/// Jitter of ticks that is looked for, and by how much the likelihood's logarithm must rise for it.
constexpr double kLeastJitter = 20e-6;  // s
constexpr double kJitterStep = 1.2;
constexpr int kJitters = 38;  // to 17 ms
constexpr double kClearlyLikelier = 5.0;

/// Inverse of the weighted squares. Where the readings say nothing, priors keep it finite.
Matrix inverse_of(const Matrix& jacobian, const Vector& weights,
                  const std::vector<std::size_t>& active) {
  Matrix gram = jacobian.transpose() * weights.asDiagonal() * jacobian;
  const auto linear = jacobian.cols() - static_cast<Eigen::Index>(active.size());
  for (std::size_t i = 0; i < active.size(); ++i) {
    const double prior = active[i] == kDelay ? kDelayPrior : kLogPrior;
    const auto at = linear + static_cast<Eigen::Index>(i);
    gram(at, at) += 1.0 / (prior * prior);
  }
  return gram.ldlt().solve(Matrix::Identity(jacobian.cols(), jacobian.cols()));
}

/// What the ticks' times explain of each residual's variance, W^2.
std::vector<double> known_variances(const JointFit& fit) {
  std::vector<double> known;
  for (const double sd : fit.sds) {
    known.push_back(std::max(sd * sd - fit.noise_sd_w * fit.noise_sd_w, 0.0));
  }
  return known;
}

struct Noise {
  double sd = 0.0;          ///< W
  double likelihood = 0.0;  ///< its logarithm
};

/// The noise beside `known` variances that makes the residuals most likely.
Noise likeliest_noise(const JointFit& fit, const std::vector<double>& known) {
  const auto likelihood_of = [&](double noise) {
    double likelihood = 0.0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const double variance = noise * noise + known[k];
      const double size = fit.residuals[k] * fit.residuals[k] / variance;
      // Outliers must not set the noise of all.
      const double loss =
          size <= kHuber * kHuber ? size / 2 : kHuber * (std::sqrt(size) - kHuber / 2);
      likelihood -= std::log(variance) / 2 + loss;
    }
    return likelihood;
  };
  Noise best{fit.noise_sd_w, -1e300};
  const auto offer = [&](double noise) {
    const double likelihood = likelihood_of(noise);
    if (likelihood > best.likelihood) best = {noise, likelihood};
  };
  constexpr int kCandidates = 62;  // from 0.1 mW to 100 W
  double step = 1.2544;
  for (int i = 0; i < kCandidates; ++i) offer(1e-4 * std::pow(step, i));
  // Of many readings the likelihood is so sharp that the steps between candidates matter.
  while (step > 1.002) {
    step = std::sqrt(step);
    const double middle = best.sd;
    offer(middle * step);
    offer(middle / step);
  }
  return best;
}

/// Where the free shares begin, which are the last of the linear unknowns.
Eigen::Index first_share(const JointFit& fit, Eigen::Index linear) {
  return linear - std::count_if(kParts.begin(), kParts.end(),
                                [&](const Part& part) { return is_free(fit, part); });
}

/// Derivative of the total lag to every unknown; the linear ones come first, then the `active`
/// ones.
Vector lag_gradient(const JointFit& fit, const std::vector<std::size_t>& active,
                    Eigen::Index linear) {
  const Parameters& p = fit.parameters;
  Parameters slopes{};
  slopes[kDelay] = 1.0;
  slopes[kLogWindow] = std::exp(p[kLogWindow]) / 2;
  slopes[kLogLag] = std::exp(p[kLogLag]);
  Vector gradient = Vector::Zero(linear + static_cast<Eigen::Index>(active.size()));
  Eigen::Index column = first_share(fit, linear);
  for (const Part& part : kParts) {
    const bool late = part.shape == Shape::decay;
    if (late) slopes[part.time] = -part.sign * fit.*part.share * std::exp(p[part.time]);
    if (!is_free(fit, part)) continue;
    if (late) gradient[column] = -part.sign * std::exp(p[part.time]);
    ++column;
  }
  for (std::size_t i = 0; i < active.size(); ++i) {
    gradient[linear + static_cast<Eigen::Index>(i)] = slopes[active[i]];
  }
  return gradient;
}

}  // namespace

double likely_noise(const JointFit& fit) { return likeliest_noise(fit, known_variances(fit)).sd; }

double likely_tick_jitter(const JointFit& fit) {
  const std::vector<double> known = known_variances(fit);
  const double none = likeliest_noise(fit, known).likelihood;
  double most = none + kClearlyLikelier;
  double best = 0.0;
  for (int i = 0; i < kJitters; ++i) {
    const double jitter = kLeastJitter * std::pow(kJitterStep, i);
    std::vector<double> with = known;
    for (std::size_t k = 0; k < with.size(); ++k) with[k] += std::pow(fit.slopes[k] * jitter, 2);
    const double likelihood = likeliest_noise(fit, with).likelihood;
    if (likelihood <= most) continue;
    most = likelihood;
    best = jitter;
  }
  return best;
}

void add_covariance(JointFit& fit, const FitData& data, std::optional<Parameter> held) {
  FitProblem problem(data, fit.structure, fit.noise_sd_w, held);
  const JointFit here = problem.at(fit.parameters);
  std::vector<std::size_t> active;
  const Matrix jacobian = problem.jacobian(here, active);
  const Vector weights = weights_of(here);
  const Vector residuals = Eigen::Map<const Vector>(
      here.residuals.data(), static_cast<Eigen::Index>(here.residuals.size()));
  const Matrix inverse = inverse_of(jacobian, weights, active);
  const Matrix covariance = larger_covariance({jacobian, weights, residuals, inverse});
  fit.idle_sd_w = std::sqrt(covariance(0, 0));
  const Eigen::Index amplitude = data.measured ? 1 : 2;
  fit.amplitude_sd_w = std::sqrt(covariance(amplitude, amplitude));
  constexpr double kWiden = 1.1 * 1.1;
  const auto linear = jacobian.cols() - static_cast<Eigen::Index>(active.size());
  const Vector lag = lag_gradient(here, active, linear);
  fit.total_lag_sd_s = std::sqrt(kWiden * std::max(lag.dot(covariance * lag), 0.0));
  Eigen::Index share = first_share(here, linear);
  for (const Part& part : kParts) {
    if (!is_free(here, part)) continue;
    if (part.share_sd != nullptr) {
      fit.*part.share_sd = std::sqrt(kWiden * std::max(covariance(share, share), 0.0));
    }
    ++share;
  }
  fit.covariance = {};
  for (std::size_t i = 0; i < active.size(); ++i) {
    for (std::size_t j = 0; j < active.size(); ++j) {
      fit.covariance[active[i]][active[j]] =
          kWiden *
          covariance(linear + static_cast<Eigen::Index>(i), linear + static_cast<Eigen::Index>(j));
    }
  }
  fit.fitted = static_cast<std::size_t>(jacobian.cols());
}

}  // namespace truewatt::identification
