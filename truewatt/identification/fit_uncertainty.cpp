#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit_problem.hpp"
#include "truewatt/identification/joint_fit.hpp"

namespace truewatt::identification {
namespace {

/// Standard deviations of what is believed before anything was read.
constexpr double kLogPrior = 3.0;
constexpr double kDelayPrior = 0.05;  // s

/// Jitter of ticks that is looked for, and by how much the likelihood's logarithm must rise for it.
constexpr double kLeastJitter = 20e-6;  // s
constexpr double kMostJitter = 20e-3;   // s
constexpr double kJitterStep = 1.2;
constexpr double kClearlyLikelier = 5.0;

/// Over so many readings neighbouring residuals are alike: up to the first lag at which their
/// correlation is not clear (two standard deviations of none), a tenth of the readings at most.
Eigen::Index alike(const Vector& residuals) {
  const Eigen::Index n = residuals.size();
  const double squares = residuals.squaredNorm();
  const double clear = 2.0 / std::sqrt(static_cast<double>(n));
  Eigen::Index lag = 0;
  while (lag + 1 < n / 10) {
    const Eigen::Index next = lag + 1;
    if (residuals.head(n - next).dot(residuals.tail(n - next)) < clear * squares) break;
    lag = next;
  }
  return lag;
}

/// Sum of the scores' products (a row each), with those of neighbours `reach` readings apart and
/// less, which count less the further they are apart (Newey, West, Econometrica 55, 1987).
Matrix meat_of(const Matrix& scores, Eigen::Index reach) {
  Matrix meat = scores.transpose() * scores;
  const Eigen::Index n = scores.rows();
  for (Eigen::Index lag = 1; lag <= reach; ++lag) {
    const double weight = 1.0 - static_cast<double>(lag) / static_cast<double>(reach + 1);
    const Matrix apart = scores.topRows(n - lag).transpose() * scores.bottomRows(n - lag);
    meat += weight * (apart + apart.transpose());
  }
  return meat;
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
  Noise best{fit.noise_sd_w, -1e300};
  constexpr int kCandidates = 122;  // from 0.1 mW to 100 W
  for (int i = 0; i < kCandidates; ++i) {
    const double noise = 1e-4 * std::pow(1.12, i);
    double likelihood = 0.0;
    for (std::size_t k = 0; k < known.size(); ++k) {
      const double variance = noise * noise + known[k];
      const double size = fit.residuals[k] * fit.residuals[k] / variance;
      // Outliers must not set the noise of all.
      const double loss =
          size <= kHuber * kHuber ? size / 2 : kHuber * (std::sqrt(size) - kHuber / 2);
      likelihood -= std::log(variance) / 2 + loss;
    }
    if (likelihood > best.likelihood) best = {noise, likelihood};
  }
  return best;
}

}  // namespace

double likely_noise(const JointFit& fit) {
  return likeliest_noise(fit, known_variances(fit)).sd;
}

double likely_tick_jitter(const JointFit& fit) {
  const std::vector<double> known = known_variances(fit);
  const double none = likeliest_noise(fit, known).likelihood;
  double most = none + kClearlyLikelier;
  double best = 0.0;
  for (double jitter = kLeastJitter; jitter < kMostJitter; jitter *= kJitterStep) {
    std::vector<double> with = known;
    for (std::size_t k = 0; k < with.size(); ++k) with[k] += std::pow(fit.slopes[k] * jitter, 2);
    const double likelihood = likeliest_noise(fit, with).likelihood;
    if (likelihood <= most) continue;
    most = likelihood;
    best = jitter;
  }
  return best;
}

void add_covariance(JointFit& fit, const FitData& data) {
  FitProblem problem(data, fit.structure, fit.noise_sd_w);
  JointFit here = problem.at(fit.parameters);
  std::vector<std::size_t> active;
  const Matrix jacobian = problem.jacobian(here, active);
  const Vector weights = weights_of(here);
  const Matrix weighted = weights.asDiagonal() * jacobian;
  const auto linear = jacobian.cols() - static_cast<Eigen::Index>(active.size());
  Matrix gram = jacobian.transpose() * weighted;
  // Where the readings say nothing, these priors keep the covariance finite.
  for (std::size_t i = 0; i < active.size(); ++i) {
    const double prior = active[i] == kDelay ? kDelayPrior : kLogPrior;
    gram(linear + static_cast<Eigen::Index>(i), linear + static_cast<Eigen::Index>(i)) +=
        1.0 / (prior * prior);
  }
  const Matrix inverse = gram.ldlt().solve(Matrix::Identity(jacobian.cols(), jacobian.cols()));
  const double freedom = std::max(1.0, static_cast<double>(jacobian.rows() - jacobian.cols()));
  double chi2 = 0.0;
  Matrix scores(jacobian.rows(), jacobian.cols());
  Vector standardized(jacobian.rows());
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    const double r = here.residuals[static_cast<std::size_t>(i)];
    chi2 += weights[i] * r * r;
    const double leverage = weights[i] * jacobian.row(i).dot(inverse * jacobian.row(i).transpose());
    standardized[i] = std::sqrt(weights[i]) * r;
    scores.row(i) = jacobian.row(i) * (weights[i] * r / std::max(0.1, 1.0 - leverage));
  }
  const Matrix meat = meat_of(scores, alike(standardized));
  const Matrix sandwich = inverse * meat * inverse;
  const Matrix plain = inverse * std::max(1.0, chi2 / freedom);
  constexpr double kWiden = 1.1 * 1.1;
  const auto linear_sd = [&](Eigen::Index i) {
    return std::sqrt(std::max(plain(i, i), sandwich(i, i)));
  };
  fit.idle_sd_w = linear_sd(0);
  fit.amplitude_sd_w = linear_sd(data.measured ? 1 : 2);
  fit.covariance = {};
  for (std::size_t i = 0; i < active.size(); ++i) {
    for (std::size_t j = 0; j < active.size(); ++j) {
      const auto a = linear + static_cast<Eigen::Index>(i);
      const auto b = linear + static_cast<Eigen::Index>(j);
      const double scale_a = std::max(plain(a, a), sandwich(a, a));
      const double scale_b = std::max(plain(b, b), sandwich(b, b));
      const double correlation = plain(a, b) / std::sqrt(plain(a, a) * plain(b, b));
      fit.covariance[active[i]][active[j]] = kWiden * correlation * std::sqrt(scale_a * scale_b);
    }
  }
  fit.fitted = static_cast<std::size_t>(jacobian.cols());
}

}  // namespace truewatt::identification
