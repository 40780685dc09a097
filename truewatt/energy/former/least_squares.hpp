#pragma once

#include <Eigen/Core>

namespace truewatt::energy {

/// What a reading says beyond what was known of the random part, were the coefficients known.
struct Innovation {
  Eigen::VectorXd columns;  ///< by coefficient
  double value = 0.0;       ///< with all coefficients zero
  double variance = 0.0;    ///< of it, > 0
};

/// A sum of normal logarithms of density, and of squares.
struct Likelihood {
  double logarithm = 0.0;
  double squares = 0.0;

  /// Adds one value of mean zero; returns it standardized.
  double add(double value, double variance);
};

/// Coefficients with a normal prior, by recursive least squares over independent innovations.
class LeastSquares {
 public:
  LeastSquares(Eigen::VectorXd prior, const Eigen::VectorXd& prior_sd);

  /// Returns what the innovation is beyond all before, standardized.
  double learn(const Innovation& seen, Likelihood& likelihood);

  const Eigen::VectorXd& mean() const { return mean_; }
  Eigen::MatrixXd covariance() const { return covariance_.selfadjointView<Eigen::Lower>(); }

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_;  // its lower half
  Eigen::VectorXd joint_;       // covariance with the innovation at hand
};

}  // namespace truewatt::energy
