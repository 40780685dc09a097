#include "truewatt/numerics/pooled_mean.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::numerics {
namespace {

/// Nothing is known better than this share of the least well known: weights stay finite.
constexpr double kBest = 1e-6;
/// The values' own uncertainties count as a scatter of so many degrees of freedom ...
constexpr double kOwnFreedom = 1.0;
/// ... beside one that has fewer than these ...
constexpr double kFewFreedom = 2.0;
/// ... of so many values; fewer hardly tell that they differ by more.
constexpr std::size_t kFewestBeside = 5;

struct WeightedSums {
  double weights = 0.0;
  double squares = 0.0;  // of the weights
  double mean = 0.0;
};

WeightedSums sums_of(const std::vector<Measured>& values, const std::vector<double>& weights) {
  WeightedSums sums;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sums.weights += weights[i];
    sums.squares += weights[i] * weights[i];
    sums.mean += weights[i] * values[i].value;
  }
  sums.mean /= sums.weights;
  return sums;
}

/// Weighted sum of squares around the mean.
double spread_of(const std::vector<Measured>& values, const std::vector<double>& weights,
                 double mean) {
  double squares = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    squares += weights[i] * (values[i].value - mean) * (values[i].value - mean);
  }
  return squares;
}

std::vector<double> variances_of(const std::vector<Measured>& values) {
  double worst = 0.0;
  for (const Measured& one : values) worst = std::max(worst, one.sd);
  std::vector<double> variances;
  for (const Measured& one : values) {
    const double sd = worst > 0 ? std::max(one.sd, kBest * worst) : 1.0;
    variances.push_back(sd * sd);
  }
  return variances;
}

/// Takes the values' own variances, and what they differ by beyond these, into what their scatter
/// says, where less is unknown then.
void know_besides(PooledMean& pooled, const std::vector<double>& variances, double between) {
  double own = 0.0;
  double differing = 0.0;
  for (std::size_t i = 0; i < variances.size(); ++i) {
    own += pooled.weights[i] * pooled.weights[i] * variances[i];
    differing += pooled.weights[i] * pooled.weights[i] * between;
  }
  const double share = own / (own + differing);
  const double prior = kOwnFreedom * share * share;
  const double freedom = pooled.freedom + prior;
  const double scatter = pooled.standard_error * pooled.standard_error;
  const double error = std::sqrt((pooled.freedom * scatter + prior * (own + differing)) / freedom);
  if (student_widening(freedom) * error >=
      student_widening(pooled.freedom) * pooled.standard_error) {
    return;
  }
  pooled.standard_error = error;
  pooled.freedom = freedom;
}

}  // namespace

PooledMean pooled_mean(const std::vector<Measured>& values) {
  assert(values.size() > 1);
  const std::vector<double> variances = variances_of(values);
  const auto freedom = static_cast<double>(values.size() - 1);
  PooledMean pooled;
  for (const double variance : variances) pooled.weights.push_back(1 / variance);
  const WeightedSums own = sums_of(values, pooled.weights);
  const double excess = spread_of(values, pooled.weights, own.mean) - freedom;
  const double between = std::max(0.0, excess / (own.weights - own.squares / own.weights));
  for (std::size_t i = 0; i < values.size(); ++i) pooled.weights[i] = 1 / (variances[i] + between);
  const WeightedSums sums = sums_of(values, pooled.weights);
  for (double& weight : pooled.weights) weight /= sums.weights;
  pooled.freedom = std::max(1.0, sums.weights * sums.weights / sums.squares - 1);
  pooled.mean = sums.mean;
  pooled.standard_error = std::sqrt(spread_of(values, pooled.weights, pooled.mean) / freedom);
  const bool known =
      std::any_of(values.begin(), values.end(), [](const Measured& one) { return one.sd > 0; });
  const bool few_weigh_most = values.size() >= kFewestBeside && pooled.freedom < kFewFreedom;
  if (known && few_weigh_most) know_besides(pooled, variances, between);
  return pooled;
}

}  // namespace truewatt::numerics
