#include "truewatt/energy/former/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace truewatt::energy {

double Likelihood::add(double value, double variance) {
  const double square = value * value / variance;
  squares += square;
  logarithm -= 0.5 * (square + std::log(2 * std::numbers::pi * variance));
  return value / std::sqrt(variance);
}

LeastSquares::LeastSquares(Eigen::VectorXd prior, const Eigen::VectorXd& prior_sd)
    : mean_(std::move(prior)), covariance_(prior_sd.cwiseAbs2().asDiagonal()) {}

double LeastSquares::learn(const Innovation& seen, Likelihood& likelihood) {
  joint_.noalias() = covariance_.selfadjointView<Eigen::Lower>() * seen.columns;
  const double variance = std::max(seen.variance + seen.columns.dot(joint_), seen.variance);
  const double beyond = seen.value - seen.columns.dot(mean_);
  mean_ += joint_ * (beyond / variance);
  covariance_.selfadjointView<Eigen::Lower>().rankUpdate(joint_, -1 / variance);
  return likelihood.add(beyond, variance);
}

}  // namespace truewatt::energy
