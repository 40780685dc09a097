#include "truewatt/identification/artefacts/power_drift.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/identification/fit/fit_problem.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewestDriftReadings = 20;
constexpr Eigen::Index kDriftColumns = 4;
enum DriftColumn : Eigen::Index { kIdle, kIdleDrift, kLoadStep, kLoadStepDrift };
/// Columns whose standardized normal matrix is closer to singular are not told apart.
constexpr double kWorstPivot = 1e-6;
/// More than this of one reading's error in the next one's cannot be told from a drift.
constexpr double kMostSharedWithNext = 0.95;

/// By how much errors that share `share` with their neighbours scatter a mean more than as many
/// independent ones: first-order autoregression.
double widening_of(const Vector& standardized) {
  const Eigen::Index n = standardized.size();
  const double squares = standardized.squaredNorm();
  if (squares <= 0) return 1.0;
  const double shared = std::clamp(standardized.tail(n - 1).dot(standardized.head(n - 1)) / squares,
                                   0.0, kMostSharedWithNext);
  return (1 + shared) / (1 - shared);
}

Matrix columns_of(const FitData& data, const JointFit& fit, double middle) {
  const std::vector<double> unit = unit_response(data, fit);
  Matrix columns(static_cast<Eigen::Index>(unit.size()), kDriftColumns);
  for (std::size_t k = 0; k < unit.size(); ++k) {
    const double since = data.readings[k].time - middle;
    columns.row(static_cast<Eigen::Index>(k)) << 1.0, since, unit[k], since * unit[k];
  }
  return columns;
}

}  // namespace

std::vector<double> unit_response(const FitData& data, const JointFit& fit) {
  // Warmth is what the drift is made of.
  JointFit cold = fit;
  cold.warmth_share = 0.0;
  std::vector<double> unit;
  for (const Response& response : responses_of(cold, data.readings, data.work)) {
    unit.push_back(response.reading);
  }
  return unit;
}

std::optional<PowerDrift> fit_drift(const FitData& data, const JointFit& fit) {
  if (data.readings.size() < kFewestDriftReadings || data.measured) return std::nullopt;
  const double begin = data.readings.front().time;
  const double end = data.readings.back().time;
  const Matrix columns = columns_of(data, fit, (begin + end) / 2);
  Vector values(columns.rows());
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    values[k] = data.readings[static_cast<std::size_t>(k)].value;
  }
  const JointFit here = fit_from(data, fit.structure, fit.parameters, fit.noise_sd_w, 0);
  const Vector weights = weights_of(here);
  const Matrix gram = columns.transpose() * weights.asDiagonal() * columns;
  const Vector scale = gram.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
  const auto solver = (scale.asDiagonal() * gram * scale.asDiagonal()).eval().ldlt();
  if (!(solver.vectorD().minCoeff() > kWorstPivot)) return std::nullopt;
  const Matrix inverse = scale.asDiagonal() *
                         solver.solve(Matrix::Identity(kDriftColumns, kDriftColumns)) *
                         scale.asDiagonal();
  const Vector solution = inverse * (columns.transpose() * weights.cwiseProduct(values));
  const Vector standardized = weights.cwiseSqrt().cwiseProduct(values - columns * solution);
  const double freedom = static_cast<double>(columns.rows() - kDriftColumns);
  const Matrix covariance =
      inverse * (std::max(1.0, standardized.squaredNorm() / freedom) * widening_of(standardized));
  const double work = covariance(kIdleDrift, kIdleDrift) +
                      covariance(kLoadStepDrift, kLoadStepDrift) +
                      2 * covariance(kIdleDrift, kLoadStepDrift);
  return PowerDrift{
      .idle_w_per_s = {solution[kIdleDrift], std::sqrt(covariance(kIdleDrift, kIdleDrift))},
      .work_w_per_s = {solution[kIdleDrift] + solution[kLoadStepDrift],
                       std::sqrt(std::max(work, 0.0))},
      .amplitude_w = solution[kLoadStep],
      .length_s = end - begin};
}

}  // namespace truewatt::identification
