#include "truewatt/uncertainty/regress.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <string>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::uncertainty {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Runs ended by a target agree better than they scatter: chosen so that `measure --target` covers
/// 95 % (scripts/target_survey.py).
constexpr double kChosenByTarget = 1.15;
/// Nothing is known better than this share of the least well known: weights stay finite.
constexpr double kBest = 1e-6;

VectorXd own_variances(std::span<const Budget> runs, bool known) {
  VectorXd own(static_cast<Index>(runs.size()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    own[static_cast<Index>(i)] = runs[i].part(averages_out);
  }
  const double worst = own.maxCoeff();
  if (!known || !(worst > 0)) return VectorXd::Ones(own.size());
  return own.cwiseMax(kBest * worst).array().square();
}

bool own_is_known(std::span<const Budget> runs, bool known) {
  return known && std::any_of(runs.begin(), runs.end(),
                              [](const Budget& run) { return run.part(averages_out) > 0; });
}

/// A run whose 95 % half-width is more than this share of its work hardly saw it.
constexpr double kHardlySeen = 0.5;

/// What runs that hardly saw their work leave open themselves, 0 for the others.
VectorXd hardly_seen(std::span<const Budget> runs, const RunOptions& options) {
  VectorXd own = VectorXd::Zero(static_cast<Index>(runs.size()));
  if (!options.known) return own;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    own[static_cast<Index>(i)] = runs[i].part(averages_out);
  }
  Index best = 0;
  own.minCoeff(&best);
  const double whole =
      std::abs(options.whole.value_or(runs[static_cast<std::size_t>(best)].value()));
  return (kCoverageFactor95 * own.array() > kHardlySeen * whole).select(own, 0.0);
}

/// A weighted least-squares fit.
struct Fit {
  VectorXd weights;      ///< of the runs
  MatrixXd covariance;   ///< of the coefficients, of errors of variance 1 / weights
  MatrixXd gains;        ///< coefficients = gains * values
  double squares = 0.0;  ///< weighted, of the residuals
};

Fit fit(const MatrixXd& columns, const VectorXd& values, const VectorXd& variances) {
  Fit result;
  result.weights = variances.cwiseInverse();
  const MatrixXd weighted = columns.transpose() * result.weights.asDiagonal();
  result.covariance = (weighted * columns).inverse();
  result.gains = result.covariance * weighted;
  const VectorXd residuals = values - columns * (result.gains * values);
  result.squares = residuals.cwiseAbs2().dot(result.weights);
  return result;
}

/// Variance of runs beyond their own, by the method of moments.
double variance_between(const MatrixXd& columns, const Fit& own) {
  const auto freedom = static_cast<double>(columns.rows() - columns.cols());
  const MatrixXd squared = columns.transpose() * own.weights.cwiseAbs2().asDiagonal() * columns;
  const double expected = own.weights.sum() - (own.covariance * squared).trace();
  return expected > 0 ? std::max(0.0, (own.squares - freedom) / expected) : 0.0;
}

/// What tells the scatter around one fit from that around another: two of the same runs are one.
std::string name_of_fit(const MatrixXd& columns, const VectorXd& values) {
  std::size_t hash = 0;
  const auto mix = [&](double value) { hash = 31 * hash + std::hash<double>{}(value); };
  for (const double value : values) mix(value);
  for (const double value : columns.reshaped()) mix(value);
  return fmt::format("fit {:x}", hash);
}

/// Columns and values of the runs.
struct Model {
  Model(std::span<const std::vector<double>> of_columns, std::span<const Budget> runs)
      : columns(static_cast<Index>(runs.size()), static_cast<Index>(of_columns.size())),
        values(static_cast<Index>(runs.size())) {
    for (Index j = 0; j < columns.cols(); ++j) {
      columns.col(j) = Eigen::Map<const VectorXd>(of_columns[static_cast<std::size_t>(j)].data(),
                                                  columns.rows());
    }
    for (Index i = 0; i < values.size(); ++i) {
      values[i] = runs[static_cast<std::size_t>(i)].value();
    }
  }
  MatrixXd columns;
  VectorXd values;
};

bool is_singular(const MatrixXd& columns) {
  return Eigen::ColPivHouseholderQR<MatrixXd>(columns.colwise().normalized()).rank() <
         columns.cols();
}

}  // namespace

Result<Regression> regress(std::span<const std::vector<double>> columns,
                           std::span<const Budget> runs, const RunOptions& options) {
  const auto n = static_cast<Index>(runs.size());
  const auto p = static_cast<Index>(columns.size());
  if (p == 0 || n < p) {
    return Unexpected(Errc::insufficient_data, "fewer runs than coefficients to find from them");
  }
  const auto& [design, values] = Model(columns, runs);
  if (is_singular(design)) {
    return Unexpected(Errc::ill_conditioned, "the runs do not separate the coefficients");
  }
  const VectorXd own = own_variances(runs, options.known);
  const VectorXd hidden = hardly_seen(runs, options);
  const auto freedom = static_cast<double>(n - p);
  const bool scatters = n > p || options.scatter;
  const double between = options.scatter ? 0.0 : variance_between(design, fit(design, values, own));
  const bool has_own = own_is_known(runs, options.known);
  const VectorXd variances =
      options.scatter
          ? (has_own ? own : VectorXd::Zero(n).eval()).cwiseMax(options.scatter->variance).eval()
          : (own.array() + between).matrix().eval();
  const Fit last = fit(design, values, variances);

  // Coefficients of one fit err together: the covariance's factor has each one's share of p errors
  // that are independent.
  const double chosen = options.ended_by == EndedBy::target ? kChosenByTarget : 1.0;
  const double factor =
      options.scatter ? numerics::student_widening(options.scatter->freedom)
      : scatters ? chosen * numerics::student_widening(freedom) * std::sqrt(last.squares / freedom)
                 : 0.0;
  const MatrixXd shares = factor * MatrixXd(last.covariance.llt().matrixL());
  const std::string name = name_of_fit(design, values);

  Regression result;
  for (Index j = 0; j < p; ++j) {
    std::vector<double> weights(runs.size());
    for (Index i = 0; i < n; ++i) weights[static_cast<std::size_t>(i)] = last.gains(j, i);
    Budget coefficient = weighted_sum(runs, weights);
    if (scatters) {
      const double within = last.gains.row(j).cwiseAbs().dot(hidden);
      const double scatter = shares.row(j).norm();
      coefficient = coefficient.without(averages_out);
      for (Index k = 0; k <= j; ++k) {
        coefficient.add(Cause::scatter, shares(j, k),
                        {.program = name, .run = static_cast<int>(k)});
      }
      coefficient.add(Cause::within_runs,
                      std::sqrt(std::max(0.0, within * within - scatter * scatter)),
                      {.program = name, .run = static_cast<int>(j)});
    }
    result.coefficients.push_back(std::move(coefficient));
    result.weights.push_back(std::move(weights));
  }
  return result;
}

std::optional<Scatter> scatter_of(std::span<const std::vector<double>> columns,
                                  std::span<const Budget> runs) {
  const Model model(columns, runs);
  const auto freedom = static_cast<double>(model.columns.rows() - model.columns.cols());
  if (freedom <= 0 || is_singular(model.columns)) return std::nullopt;
  const Fit alike = fit(model.columns, model.values, VectorXd::Ones(model.values.size()));
  return Scatter{alike.squares / freedom, freedom};
}

RunMean mean_of_runs(std::span<const Budget> runs, const RunOptions& options) {
  const std::vector<double> ones(runs.size(), 1.0);
  auto fitted = regress({&ones, 1}, runs, options);
  return {std::move(fitted->coefficients.front()), std::move(fitted->weights.front())};
}

std::vector<Term> without_scale(std::span<const Term> terms) {
  std::vector<Term> kept;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(kept),
               [](const Term& term) { return !is_scale(term.cause); });
  return kept;
}

Irreducible irreducible_of(std::span<const Term> terms) {
  Irreducible left;
  double largest = 0.0;
  for (const Term& term : terms) {
    if (averages_out(term.cause) || term.u <= largest) continue;
    largest = term.u;
    left.most = term.cause;
  }
  left.u = part_of(terms, [](Cause cause) { return !averages_out(cause); });
  return left;
}

double runs_for(std::span<const Term> terms, double runs, double target) {
  const double scatter = part_of(terms, averages_out);
  const double stays = irreducible_of(terms).u;
  const double wanted = target / kCoverageFactor95;
  const double left = wanted * wanted - stays * stays;
  return left > 0 ? runs * scatter * scatter / left : std::numeric_limits<double>::infinity();
}

}  // namespace truewatt::uncertainty
