#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace truewatt {

/// Power as a function of time, piecewise: in the segment that begins at b,
///
///   P(t) = constant + sum_j amplitude_j * exp(-(t - b) / tau_j),
///
/// with the same decay times tau_j in every segment (a board's rise, overshoot and drift). Value,
/// integral and double integral are closed forms: no time stepping. Times are seconds on one axis,
/// watts throughout; before the first segment the power is the initial constant (docs/method.md,
/// eq. 2-3). Reading is safe from several threads while nobody appends.
class PowerSignal {
 public:
  static constexpr std::size_t kTerms = 3;
  using Amplitudes = std::array<double, kTerms>;

  struct Segment {
    double begin = 0.0;     ///< s
    double constant = 0.0;  ///< W
    Amplitudes amplitudes{};
  };

  /// Decay times must be positive; terms that are not needed keep zero amplitudes.
  PowerSignal(double initial_watts, std::array<double, kTerms> decay_times);

  /// Appends a segment; `begin` must be at least 0 and not lie before the last one's. Of segments
  /// that begin together the last one counts.
  void append(const Segment& segment);

  double value(double t) const;
  /// Joules from time 0 to t (negative for t < 0).
  double integral(double t) const;
  /// The same for a t that lies in segment `index`.
  double value_in(std::size_t index, double t) const;
  double integral_in(std::size_t index, double t) const;
  /// Integral of `integral` from 0 to t, joule-seconds.
  double double_integral(double t) const;

  std::span<const Segment> segments() const { return segments_; }
  std::span<const double> decay_times() const { return decay_times_; }
  /// Index of the segment that holds t.
  std::size_t index_of(double t) const;
  /// The same, found from segment `near` on: quick where questions come in order of time.
  std::size_t index_of(double t, std::size_t near) const;
  /// Amplitudes of the decaying terms at time t.
  Amplitudes amplitudes_at(double t) const { return amplitudes_in(index_of(t), t); }

 private:
  struct Sums {
    double integral = 0.0;
    double double_integral = 0.0;
  };
  Amplitudes amplitudes_in(std::size_t index, double t) const;
  Sums sums_in(std::size_t index, double t) const;

  std::array<double, kTerms> decay_times_;
  std::vector<Segment> segments_;  // the first is the initial constant, from time 0 on
  std::vector<Sums> at_begin_;
};

/// A power signal behind a first-order lag with time constant C: C dz/dt = P - z, settled before
/// the signal's first segment. With C = 0 it is the signal itself. Closed form (docs/method.md,
/// eq. 4-6), also where C meets one of the signal's own decay times. The signal must outlive it;
/// call `rebuild` after the signal has changed.
class LaggedSignal {
 public:
  LaggedSignal(const PowerSignal& signal, double time_constant);
  void rebuild();

  /// Value and integral at one time, for little more than the value alone.
  struct Point {
    double value = 0.0;
    double integral = 0.0;
  };
  Point at(double t) const { return at_in(signal_->index_of(t), t); }
  /// The same; `near` is a segment close to t's and becomes t's: quick where times come in order.
  Point at(double t, std::size_t& near) const {
    near = signal_->index_of(t, near);
    return at_in(near, t);
  }

  double time_constant() const { return time_constant_; }
  double value(double t) const;
  double integral(double t) const;
  double double_integral(double t) const;

 private:
  double value_in(std::size_t segment, double t) const;
  Point at_in(std::size_t segment, double t) const;

  const PowerSignal* signal_;
  double time_constant_;
  std::vector<double> at_begin_;  // z at the begin of each segment
  double initial_ = 0.0;
};

/// (exp(-s/a) - exp(-s/b)) / (1 - b/a), continuous through a = b; s >= 0, a > 0, b > 0. The
/// response at s of a lag b to a decay a, without the transient of the initial state.
double lagged_decay(double s, double decay_time, double lag);

}  // namespace truewatt
