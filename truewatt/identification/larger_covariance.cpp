#include "truewatt/identification/larger_covariance.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/bartlett.hpp"

namespace truewatt::identification {
namespace {

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
/// less, which count less the further they are apart.
Matrix meat_of(const Matrix& scores, Eigen::Index reach) {
  Matrix meat = scores.transpose() * scores;
  const Eigen::Index n = scores.rows();
  for (Eigen::Index lag = 1; lag <= reach; ++lag) {
    const double weight =
        numerics::bartlett_weight(static_cast<std::size_t>(lag), static_cast<std::size_t>(reach));
    const Matrix apart = scores.topRows(n - lag).transpose() * scores.bottomRows(n - lag);
    meat += weight * (apart + apart.transpose());
  }
  return meat;
}

/// Each reading's derivatives times its weighted residual, grown by its leverage (HC3).
Matrix scores_of(const Solution& solution) {
  const Matrix& jacobian = solution.jacobian;
  Matrix scores(jacobian.rows(), jacobian.cols());
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    const double leverage =
        solution.weights[i] * jacobian.row(i).dot(solution.inverse * jacobian.row(i).transpose());
    const double grown = solution.residuals[i] / std::max(0.1, 1.0 - leverage);
    scores.row(i) = jacobian.row(i) * (solution.weights[i] * grown);
  }
  return scores;
}

double chi2_per_freedom(const Solution& solution) {
  const Eigen::Index freedom = solution.jacobian.rows() - solution.jacobian.cols();
  return solution.weights.dot(solution.residuals.cwiseAbs2()) /
         std::max(1.0, static_cast<double>(freedom));
}

}  // namespace

Matrix larger_covariance(const Solution& solution) {
  const Vector standardized = solution.weights.cwiseSqrt().cwiseProduct(solution.residuals);
  const Matrix meat = meat_of(scores_of(solution), alike(standardized));
  const Matrix sandwich = solution.inverse * meat * solution.inverse;
  Matrix covariance = solution.inverse * std::max(1.0, chi2_per_freedom(solution));
  const Vector plain = covariance.diagonal();
  const Vector growth = sandwich.diagonal().cwiseMax(plain).cwiseQuotient(plain).cwiseSqrt();
  covariance = growth.asDiagonal() * covariance * growth.asDiagonal();
  return covariance;
}

}  // namespace truewatt::identification
