#include "truewatt/energy/kriging/fluctuation.hpp"

#include <cmath>
#include <utility>

#include "truewatt/model/power_signal.hpp"

namespace truewatt::energy {
namespace {

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, FluctuationDynamics::kMost + 1, 1>;

/// Integral over [0, dt] of exp(-rate u).
double decayed(double rate, double dt) { return rate == 0.0 ? dt : -std::expm1(-rate * dt) / rate; }

}  // namespace

FluctuationDynamics::FluctuationDynamics(std::vector<Fluctuation> fluctuations,
                                         std::vector<double> lags)
    : fluctuations_(std::move(fluctuations)), lags_(std::move(lags)) {}

double FluctuationDynamics::lag_beside(std::size_t c, double correlation) const {
  constexpr double kApart = 0.004;
  const double lag = lags_[c];
  return std::abs(lag / correlation - 1) < kApart ? lag * (1 + kApart) : lag;
}

FluctuationDynamics::Matrix FluctuationDynamics::transition(double dt) const {
  Matrix step = Matrix::Identity(size(), size());
  const Eigen::Index j = integral();
  for (std::size_t i = 0; i < fluctuations_.size(); ++i) {
    const auto column = static_cast<Eigen::Index>(i);
    const double correlation = fluctuations_[i].correlation_s;
    step(column, column) = std::exp(-dt / correlation);
    step(j, column) = -correlation * std::expm1(-dt / correlation);
    for (std::size_t c = 0; c < lags_.size(); ++c) {
      step(j + 1 + static_cast<Eigen::Index>(c), column) = lagged_decay(dt, correlation, lags_[c]);
    }
  }
  for (std::size_t c = 0; c < lags_.size(); ++c) {
    const Eigen::Index z = j + 1 + static_cast<Eigen::Index>(c);
    step(z, z) = std::exp(-dt / lags_[c]);
  }
  return step;
}

FluctuationDynamics::Matrix FluctuationDynamics::noise(double t, double dt) const {
  Matrix sum = Matrix::Zero(size(), size());
  const auto lags = static_cast<Eigen::Index>(lags_.size());
  const Eigen::Index j = integral();
  for (std::size_t i = 0; i < fluctuations_.size(); ++i) {
    const Fluctuation& one = fluctuations_[i];
    if (t < one.begin || t >= one.end || one.sd_w == 0.0) continue;
    const double l = one.correlation_s;
    // What unit noise of u seconds ago has become, as sums of 1, exp(-u/l) and exp(-u/C_c).
    Vector rates = Vector::Zero(2 + lags);
    Matrix responses = Matrix::Zero(size(), 2 + lags);
    rates(1) = 1 / l;
    responses(static_cast<Eigen::Index>(i), 1) = 1.0;
    responses(j, 0) = l;
    responses(j, 1) = -l;
    for (Eigen::Index c = 0; c < lags; ++c) {
      const double lag = lag_beside(static_cast<std::size_t>(c), l);
      rates(2 + c) = 1 / lag;
      responses(j + 1 + c, 1) = 1 / (1 - lag / l);
      responses(j + 1 + c, 2 + c) = -1 / (1 - lag / l);
    }
    Matrix overlaps(2 + lags, 2 + lags);
    for (Eigen::Index a = 0; a < 2 + lags; ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) {
        overlaps(a, b) = overlaps(b, a) = decayed(rates(a) + rates(b), dt);
      }
    }
    const double intensity = 2 * one.sd_w * one.sd_w / l;
    sum.noalias() += intensity * (responses * overlaps * responses.transpose());
  }
  return sum;
}

}  // namespace truewatt::energy
