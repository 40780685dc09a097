#include "truewatt/identification/fit/larger_covariance.hpp"

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

/// Sum of the products of derivatives of readings at most `reach` apart, as alike as the
/// standardized residuals that far apart are, on the average of all.
Matrix shared_squares(const Solution& solution, const Vector& standardized, Eigen::Index reach) {
  const Matrix scaled = solution.weights.cwiseSqrt().asDiagonal() * solution.jacobian;
  Matrix squares = scaled.transpose() * scaled;
  const Eigen::Index n = scaled.rows();
  for (Eigen::Index lag = 1; lag <= reach; ++lag) {
    const double alike_there =
        standardized.head(n - lag).dot(standardized.tail(n - lag)) / standardized.squaredNorm();
    const double weight =
        numerics::bartlett_weight(static_cast<std::size_t>(lag), static_cast<std::size_t>(reach));
    const Matrix apart = scaled.topRows(n - lag).transpose() * scaled.bottomRows(n - lag);
    squares += alike_there * weight * (apart + apart.transpose());
  }
  return squares;
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
  const double scale = std::max(1.0, chi2_per_freedom(solution));
  Matrix covariance = solution.inverse * scale;
  const Vector plain = covariance.diagonal();
  Vector larger = sandwich.diagonal().cwiseMax(plain);
  const Eigen::Index reach = std::min(solution.reach, standardized.size() / 10);
  if (reach > 0) {
    const Matrix shared = shared_squares(solution, standardized, reach);
    const Matrix alike_everywhere = solution.inverse * shared * solution.inverse * scale;
    larger = larger.cwiseMax(alike_everywhere.diagonal());
  }
  const Vector growth = larger.cwiseQuotient(plain).cwiseSqrt();
  covariance = growth.asDiagonal() * covariance * growth.asDiagonal();
  return covariance;
}

}  // namespace truewatt::identification
