#include "truewatt/identification/artefacts/scope_fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::identification {
namespace {

constexpr std::size_t kFewestScopeReadings = 20;
constexpr int kScopeColumns = 5;
enum ScopeColumn { kRest, kRestDrift, kCpu, kGpu, kBoth };
/// Columns are told apart when their design's singular values differ by less than about this
/// factor.
constexpr double kWorstCondition = 1e4;
/// More than this of one reading's error in the next one's cannot be told from a drift.
constexpr double kMostShared = 0.95;
/// Fewer independent readings than this say nothing of their scatter.
constexpr double kLeastFreedom = 3.0;
/// Two publications are one when they lie within this share of the update period.
constexpr double kSameTick = 0.5;

using Design = Eigen::MatrixXd;
using Coefficients = Eigen::VectorXd;
using Covariance = Eigen::MatrixXd;

Design design_of(std::span<const ScopeReading> readings) {
  const double begin = readings.front().time;
  const double length = readings.back().time - begin;
  Design design(static_cast<Eigen::Index>(readings.size()),
                static_cast<Eigen::Index>(kScopeColumns));
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const ScopeReading& reading = readings[i];
    design.row(static_cast<Eigen::Index>(i)) << 1.0, (reading.time - begin) / length,
        reading.by_cpu, reading.by_gpu, reading.by_both;
  }
  return design;
}

/// Of the normal matrix; its trace times that of its inverse is at least its condition number, the
/// square of the design's.
std::optional<Covariance> inverse_normal(const Design& design) {
  const Covariance normal = design.transpose() * design;
  const Eigen::LLT<Covariance> root(normal);
  if (root.info() != Eigen::Success) return std::nullopt;
  Covariance inverse = root.solve(Covariance::Identity(kScopeColumns, kScopeColumns));
  if (!(normal.trace() * inverse.trace() < kWorstCondition * kWorstCondition)) return std::nullopt;
  return inverse;
}

struct ScopeSolution {
  Coefficients coefficients;
  Covariance inverse;  // of the normal matrix
  Eigen::VectorXd residuals;
};

std::optional<ScopeSolution> solve(const Design& design, const Eigen::VectorXd& y) {
  std::optional<Covariance> inverse = inverse_normal(design);
  if (!inverse) return std::nullopt;
  ScopeSolution solution{.coefficients = *inverse * (design.transpose() * y),
                         .inverse = *std::move(inverse)};
  solution.residuals = y - design * solution.coefficients;
  return solution;
}

/// Share of a reading's error that the next one has too; residuals of so many columns show it too
/// small by their number over that of the readings.
double shared_error(const Eigen::VectorXd& residuals) {
  const Eigen::Index n = residuals.size();
  const double squares = residuals.squaredNorm();
  if (squares <= 0) return 0.0;
  const double shown = residuals.tail(n - 1).dot(residuals.head(n - 1)) / squares;
  return std::clamp(shown + static_cast<double>(kScopeColumns) / static_cast<double>(n), 0.0,
                    kMostShared);
}

/// Takes from every row what it shares with the one before (Prais, Winsten 1954).
template <class Rows>
Rows whitened(const Rows& rows, double share) {
  const Eigen::Index n = rows.rows();
  Rows white = rows;
  white.row(0) *= std::sqrt(1 - share * share);
  white.bottomRows(n - 1) -= share * rows.topRows(n - 1);
  return white;
}

/// HC3: the sandwich of squared residuals, each as if its reading had been left out.
Covariance sandwich(const ScopeSolution& solution, const Design& design) {
  const Eigen::VectorXd leverage = (design * solution.inverse).cwiseProduct(design).rowwise().sum();
  const Eigen::VectorXd errors =
      (solution.residuals.array() / (1.0 - leverage.array()).max(1e-6)).matrix();
  const Design scores = errors.asDiagonal() * design;
  return solution.inverse * (scores.transpose() * scores) * solution.inverse;
}

}  // namespace

Result<ScopeFit> fit_scopes(std::span<const ScopeReading> readings) {
  if (readings.size() < kFewestScopeReadings) {
    return Unexpected(Errc::insufficient_data, "too few readings of CPU and GPU work");
  }
  const Design design = design_of(readings);
  Eigen::VectorXd y(design.rows());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    y(static_cast<Eigen::Index>(i)) = readings[i].value;
  }
  const Unexpected unseen(Errc::ill_conditioned, "CPU work, GPU work or both at once was not seen");
  const std::optional<ScopeSolution> plain = solve(design, y);
  if (!plain) return unseen;
  const double share = shared_error(plain->residuals);
  const Design white = whitened(design, share);
  const std::optional<ScopeSolution> solution = solve(white, whitened(y, share));
  if (!solution) return unseen;
  const Covariance covariance = sandwich(*solution, white);
  const double independent = static_cast<double>(readings.size()) * (1 - share) / (1 + share);
  const double widening =
      numerics::student_widening(std::max(kLeastFreedom, independent - kScopeColumns));
  const auto estimate = [&](ScopeColumn column) {
    return Uncertain{solution->coefficients(column),
                     widening * std::sqrt(covariance(column, column))};
  };
  return ScopeFit{estimate(kRest), estimate(kCpu), estimate(kGpu), estimate(kBoth)};
}

std::optional<double> identical_share(std::span<const ticks::Tick> a,
                                      std::span<const ticks::Tick> b, Seconds update_period) {
  if (a.size() < kFewestScopeReadings || b.size() < kFewestScopeReadings) return std::nullopt;
  const double reach = kSameTick * update_period.count();
  std::size_t same = 0;
  std::size_t j = 0;
  for (const ticks::Tick& tick : a) {
    while (j < b.size() && b[j].time < tick.time - reach) ++j;
    if (j < b.size() && b[j].time <= tick.time + reach && b[j].value == tick.value) ++same;
  }
  return static_cast<double>(same) / static_cast<double>(std::max(a.size(), b.size()));
}

}  // namespace truewatt::identification
