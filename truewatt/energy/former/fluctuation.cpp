#include "truewatt/energy/former/fluctuation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "truewatt/model/power_signal.hpp"

namespace truewatt::energy {
namespace {

using StateVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, FluctuationDynamics::kMost + 1, 1>;

bool is_alive(const Fluctuation& one, double t) {
  const auto later = std::upper_bound(one.alive.begin(), one.alive.end(), t,
                                      [](double time, Span span) { return time < span.begin; });
  return later != one.alive.begin() && t < std::prev(later)->end;
}

}  // namespace

FluctuationDynamics::FluctuationDynamics(std::vector<Fluctuation> fluctuations,
                                         std::vector<double> lags)
    : fluctuations_(std::move(fluctuations)), lags_(std::move(lags)) {}

double FluctuationDynamics::lag_beside(std::size_t c, double correlation) const {
  constexpr double kApart = 0.004;
  const double lag = lags_[c];
  if (std::abs(lag / correlation - 1) >= kApart) return lag;
  return lag < correlation ? lag * (1 - kApart) : lag * (1 + kApart);
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
  const Eigen::Index j = integral();
  const auto count = 2 + static_cast<Eigen::Index>(lags_.size());
  for (std::size_t i = 0; i < fluctuations_.size(); ++i) {
    const Fluctuation& one = fluctuations_[i];
    if (one.sd_w == 0.0 || !is_alive(one, t)) continue;
    // What unit noise of u seconds ago has become: in J, e_i and every z_c a part that has decayed
    // as e_i does, shared(a) exp(-u/l), and one with a rate of its own.
    const double l = one.correlation_s;
    StateVector rate(count), shared(count), own(count);
    rate.head<2>() << 0.0, 1 / l;
    shared.head<2>() << -l, 1.0;
    own.head<2>() << l, 0.0;
    for (Eigen::Index c = 2; c < count; ++c) {
      const double lag = lag_beside(static_cast<std::size_t>(c - 2), l);
      rate(c) = 1 / lag;
      shared(c) = 1 / (1 - lag / l);
      own(c) = -shared(c);
    }
    const StateVector lost = (-dt * rate).unaryExpr([](double x) { return -std::expm1(x); });
    // Integral over [0, dt] of two decays' product.
    const auto overlap = [&](Eigen::Index a, Eigen::Index b) {
      if (a == 0 && b == 0) return dt;
      return (lost(a) + lost(b) - lost(a) * lost(b)) / (rate(a) + rate(b));
    };
    const auto row_of = [&](Eigen::Index a) {
      return a == 1 ? static_cast<Eigen::Index>(i) : a == 0 ? j : j + a - 1;
    };
    const double intensity = 2 * one.sd_w * one.sd_w / l;
    const double both_shared = overlap(1, 1);
    StateVector with_shared(count);
    for (Eigen::Index a = 0; a < count; ++a) with_shared(a) = own(a) * overlap(a, 1);
    for (Eigen::Index a = 0; a < count; ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) {
        const double product = shared(a) * shared(b) * both_shared + shared(a) * with_shared(b) +
                               shared(b) * with_shared(a) + own(a) * own(b) * overlap(a, b);
        sum(row_of(a), row_of(b)) += intensity * product;
        if (a != b) sum(row_of(b), row_of(a)) += intensity * product;
      }
    }
  }
  return sum;
}

}  // namespace truewatt::energy
