#pragma once

#include <Eigen/Core>
#include <vector>

namespace truewatt::energy {

/// A stretch of time, s.
struct Span {
  double begin = 0.0;
  double end = 0.0;
};

/// A random part of the power: an Ornstein-Uhlenbeck process, stationary within each span in which
/// it is alive, begun anew in the next, zero between (docs/method.md, eq. 14a).
struct Fluctuation {
  double sd_w = 0.0;           ///< >= 0
  double correlation_s = 0.1;  ///< > 0
  std::vector<Span> alive;     ///< in order of time, apart from each other
};

/// Exact discretization of the fluctuations e_i(t), of the integral J of their sum, and of their
/// sum z_c behind first-order lags: the state (e_1..e_m, J, z_1..z_c) over one step of time.
class FluctuationDynamics {
 public:
  /// Fluctuations and lags together, and one more.
  static constexpr int kMost = 20;
  /// Small, and on the stack.
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMost, kMost>;

  /// `lags` in seconds, > 0, all different; together with the fluctuations fewer than kMost. A lag
  /// that meets a correlation time is moved by 0.4 %, where the closed form is singular and its
  /// limit is not.
  FluctuationDynamics(std::vector<Fluctuation> fluctuations, std::vector<double> lags);

  Eigen::Index size() const { return integral() + 1 + static_cast<Eigen::Index>(lags_.size()); }
  /// Row of J; of z_c it is integral() + 1 + c.
  Eigen::Index integral() const { return static_cast<Eigen::Index>(fluctuations_.size()); }
  const std::vector<Fluctuation>& fluctuations() const { return fluctuations_; }

  /// How the state at t becomes that at t + dt, no fluctuation beginning or ending between.
  Matrix transition(double dt) const;
  /// Covariance that the noise of the fluctuations alive at `t` adds over the step [t, t + dt].
  Matrix noise(double t, double dt) const;

 private:
  /// The lag as the closed form against fluctuation i may use it.
  double lag_beside(std::size_t c, double correlation) const;

  std::vector<Fluctuation> fluctuations_;
  std::vector<double> lags_;
};

}  // namespace truewatt::energy
