#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "truewatt/energy/course/power_smoother.hpp"

namespace truewatt::energy {

/// How a step changes the state of a layout (docs/method.md, eq. 8c): power and deviation stay,
/// filters follow what is drawn, integrals add up. One object serves all steps, one after another.
class Transition {
 public:
  explicit Transition(const StateLayout& layout);

  /// From here on, of a step this long, whose power deviates so much, in which these integrals
  /// rest.
  void set_step(double length, double swing_w, std::uint64_t resting);
  /// Power with what it deviates by, of numbers `stride` apart.
  double drawn(const double* x, std::size_t stride = 1) const {
    return swing_w_ != 0.0 ? x[0] + swing_w_ * x[deviation_ * stride] : x[0];
  }
  /// So much more is drawn, of an adjoint.
  void add_to_drawn(double* x, double more) const {
    x[0] += more;
    if (swing_w_ != 0.0) x[deviation_] += swing_w_ * more;
  }
  /// x -> F x of `width` columns at once: x has a row for each state, `width` numbers apart.
  template <class Size>
  void apply(double* x, Size width) const;
  /// x -> F x of one column.
  void apply(double* x) const;
  /// x -> F' x.
  void apply_adjoint(double* x) const;
  /// P -> F P F' of a symmetric matrix of `n` rows, as many as states, row by row.
  template <class Size>
  void apply_to_covariance(double* p, Size n) const;

 private:
  /// What a watt of power, and one of what its filter showed before, add to an integral.
  struct Growth {
    double of_power = 0.0;
    double of_filtered = 0.0;
  };

  void set_length(double length);
  /// Of integral `i` in this step.
  Growth growth_of(std::size_t i) const {
    if ((resting_ >> i & 1) != 0) return {};
    const Integral& integral = layout_.integrals[i];
    const Growth& growth = growth_[integral.filter];
    return {integral.scale * growth.of_power, integral.scale * growth.of_filtered};
  }

  const StateLayout& layout_;
  std::size_t filters_;
  std::size_t integrals_;
  std::size_t deviation_;
  double length_ = 0.0;
  double swing_w_ = 0.0;
  std::uint64_t resting_ = 0;
  std::vector<double> kept_;    ///< of a filter's state
  std::vector<Growth> growth_;  ///< by Integral::filter
};

inline Transition::Transition(const StateLayout& layout)
    : layout_(layout),
      filters_(layout.time_constants.size()),
      integrals_(layout.integrals.size()),
      deviation_(layout.deviation()),
      kept_(filters_, 1.0),
      growth_(filters_ + 1) {}

inline void Transition::set_step(double length, double swing_w, std::uint64_t resting) {
  swing_w_ = swing_w;
  resting_ = resting;
  set_length(length);
}

inline void Transition::set_length(double length) {
  constexpr double kSame = 1e-9;  // steps of one cell are alike but for rounding
  if (std::abs(length - length_) <= kSame * length) return;
  length_ = length;
  growth_[0].of_power = length;
  for (std::size_t i = 0; i < filters_; ++i) {
    const double tau = layout_.time_constants[i];
    kept_[i] = std::exp(-length / tau);
    const double behind = tau * (1 - kept_[i]);
    growth_[i + 1] = {length - behind, behind};
  }
}

template <class Size>
inline void Transition::apply(double* x, Size width) const {
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    const Growth growth = growth_of(i);
    const double* shown = x + filter * width;
    double* sum = x + (1 + filters_ + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      // What is behind no filter is what is drawn.
      const double behind = filter > 0 ? growth.of_filtered * shown[c] : 0.0;
      sum[c] += growth.of_power * drawn(x + c, width) + behind;
    }
  }
  for (std::size_t i = 0; i < filters_; ++i) {
    double* behind = x + (1 + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      behind[c] = kept_[i] * behind[c] + (1 - kept_[i]) * drawn(x + c, width);
    }
  }
}

inline void Transition::apply(double* x) const {
  double* sum = x + 1 + filters_;
  const double power = drawn(x);
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    const Growth growth = growth_of(i);
    const double behind = filter > 0 ? growth.of_filtered * x[filter] : 0.0;
    sum[i] += growth.of_power * power + behind;
  }
  for (std::size_t i = 0; i < filters_; ++i) {
    x[1 + i] = kept_[i] * x[1 + i] + (1 - kept_[i]) * power;
  }
}

inline void Transition::apply_adjoint(double* x) const {
  double of_drawn = 0.0;
  for (std::size_t i = 0; i < filters_; ++i) {
    double& behind = x[1 + i];
    of_drawn += (1 - kept_[i]) * behind;
    behind *= kept_[i];
  }
  const double* sum = x + 1 + filters_;
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    const Growth growth = growth_of(i);
    of_drawn += growth.of_power * sum[i];
    if (filter > 0) x[filter] += growth.of_filtered * sum[i];
  }
  add_to_drawn(x, of_drawn);
}

template <class Size>
inline void Transition::apply_to_covariance(double* p, Size n) const {
  apply(p, n);
  for (std::size_t i = 0; i < n; ++i) apply(p + i * n);
}

}  // namespace truewatt::energy
