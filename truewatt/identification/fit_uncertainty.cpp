#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit_problem.hpp"
#include "truewatt/identification/joint_fit.hpp"
#include "truewatt/identification/larger_covariance.hpp"

namespace truewatt::identification {
namespace {

/// Standard deviations of what is believed before anything was read.
constexpr double kLogPrior = 3.0;
constexpr double kDelayPrior = 0.05;  // s

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

}  // namespace

double likely_noise(const JointFit& fit) {
  // What the ticks' times explain of each variance.
  std::vector<double> known;
  for (const double sd : fit.sds) known.push_back(sd * sd - fit.noise_sd_w * fit.noise_sd_w);
  double most = -1e300;
  double best = fit.noise_sd_w;
  constexpr int kCandidates = 122;  // from 0.1 mW to 100 W
  for (int i = 0; i < kCandidates; ++i) {
    const double noise = 1e-4 * std::pow(1.12, i);
    double likelihood = 0.0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const double variance = noise * noise + std::max(known[k], 0.0);
      const double size = fit.residuals[k] * fit.residuals[k] / variance;
      // Outliers must not set the noise of all.
      const double loss =
          size <= kHuber * kHuber ? size / 2 : kHuber * (std::sqrt(size) - kHuber / 2);
      likelihood -= std::log(variance) / 2 + loss;
    }
    if (likelihood > most) {
      most = likelihood;
      best = noise;
    }
  }
  return best;
}

void add_covariance(JointFit& fit, const FitData& data) {
  FitProblem problem(data, fit.structure, fit.noise_sd_w);
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
