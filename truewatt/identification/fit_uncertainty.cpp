#include "truewatt/identification/fit_uncertainty.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit_problem.hpp"

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

/// A linear problem around a fit: linear parameters first, then the active ones, then others.
struct Design {
  Matrix jacobian;
  Vector weights;
  Vector residuals;
  Vector priors;  ///< precision that each unknown has before anything was read
  std::vector<std::size_t> active;
  Eigen::Index linear = 0;
  bool drifts = true;  ///< idle's drift is the second unknown

  Matrix weighted() const { return weights.asDiagonal() * jacobian; }
  Matrix inverse() const {
    Matrix gram = jacobian.transpose() * weighted();
    gram.diagonal() += priors;
    return gram.ldlt().solve(Matrix::Identity(gram.rows(), gram.cols()));
  }
};

Design design_of(const JointFit& fit, const FitData& data) {
  FitProblem problem(data, fit.structure, fit.noise_sd_w);
  const JointFit here = problem.at(fit.parameters);
  Design design;
  design.jacobian = problem.jacobian(here, design.active);
  design.weights = weights_of(here);
  design.residuals = Eigen::Map<const Vector>(here.residuals.data(), design.weights.size());
  design.linear = design.jacobian.cols() - static_cast<Eigen::Index>(design.active.size());
  design.drifts = !data.measured;
  // Where the readings say nothing, these priors keep the covariance finite.
  design.priors = Vector::Zero(design.jacobian.cols());
  for (std::size_t i = 0; i < design.active.size(); ++i) {
    const double prior = design.active[i] == kDelay ? kDelayPrior : kLogPrior;
    design.priors[design.linear + static_cast<Eigen::Index>(i)] = 1.0 / (prior * prior);
  }
  return design;
}

/// Derivative of the total lag to every unknown of the design.
Vector lag_gradient(const JointFit& fit, const Design& design) {
  const Parameters& p = fit.parameters;
  Parameters slopes{};
  slopes[kDelay] = 1.0;
  slopes[kLogWindow] = std::exp(p[kLogWindow]) / 2;
  slopes[kLogLag] = std::exp(p[kLogLag]);
  Vector gradient = Vector::Zero(design.jacobian.cols());
  Eigen::Index column = design.drifts ? 3 : 2;  // of the first free share
  for (const Part& part : kParts) {
    const bool late = part.shape == Shape::decay;
    if (late) slopes[part.time] = -part.sign * fit.*part.share * std::exp(p[part.time]);
    if (!is_free(fit, part)) continue;
    if (late) gradient[column] = -part.sign * std::exp(p[part.time]);
    ++column;
  }
  for (std::size_t i = 0; i < design.active.size(); ++i) {
    gradient[design.linear + static_cast<Eigen::Index>(i)] = slopes[design.active[i]];
  }
  return gradient;
}

/// The larger of the plain covariance and of the sandwich.
void fill_covariance(JointFit& fit, const Design& design) {
  const Matrix inverse = design.inverse();
  const Matrix& jacobian = design.jacobian;
  const double freedom = std::max(1.0, static_cast<double>(jacobian.rows() - jacobian.cols()));
  double chi2 = 0.0;
  Matrix scores(jacobian.rows(), jacobian.cols());
  Vector standardized(jacobian.rows());
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    const double r = design.residuals[i];
    const double weight = design.weights[i];
    chi2 += weight * r * r;
    const double leverage = weight * jacobian.row(i).dot(inverse * jacobian.row(i).transpose());
    standardized[i] = std::sqrt(weight) * r;
    scores.row(i) = jacobian.row(i) * (weight * r / std::max(0.1, 1.0 - leverage));
  }
  // What is believed beforehand is as uncertain as it says.
  Matrix meat = meat_of(scores, alike(standardized));
  meat.diagonal() += design.priors;
  const Matrix sandwich = inverse * meat * inverse;
  const Matrix plain = inverse * std::max(1.0, chi2 / freedom);
  constexpr double kWiden = 1.1 * 1.1;
  const Vector larger = plain.diagonal().cwiseMax(sandwich.diagonal());
  fit.idle_sd_w = std::sqrt(larger[0]);
  fit.amplitude_sd_w = std::sqrt(larger[design.drifts ? 2 : 1]);
  const Vector lag = lag_gradient(fit, design);
  fit.total_lag_sd_s = std::sqrt(kWiden * std::max(lag.dot(plain * lag), lag.dot(sandwich * lag)));
  fit.covariance = {};
  for (std::size_t i = 0; i < design.active.size(); ++i) {
    for (std::size_t j = 0; j < design.active.size(); ++j) {
      const auto a = design.linear + static_cast<Eigen::Index>(i);
      const auto b = design.linear + static_cast<Eigen::Index>(j);
      const double correlation = plain(a, b) / std::sqrt(plain(a, a) * plain(b, b));
      fit.covariance[design.active[i]][design.active[j]] =
          kWiden * correlation * std::sqrt(larger[a] * larger[b]);
    }
  }
  fit.fitted = static_cast<std::size_t>(design.linear) + design.active.size();
}

}  // namespace

double likely_noise(const JointFit& fit) { return likeliest_noise(fit, known_variances(fit)).sd; }

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
  fill_covariance(fit, design_of(fit, data));
}

}  // namespace truewatt::identification
