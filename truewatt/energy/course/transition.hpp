#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "truewatt/energy/course/power_smoother.hpp"

namespace truewatt::energy {

/// How a step changes the state of a layout (docs/method.md, eq. 8c): power stays, filters follow
/// it, integrals add up. One object serves all steps, one after another.
class Transition {
 public:
  explicit Transition(const StateLayout& layout);

  /// From here on, of a step of `length` seconds.
  void set_length(double length);
  /// x -> F x of `width` columns at once: x has a row for each state, `width` numbers apart.
  void apply(double* x, std::size_t width) const;
  /// x -> F x of one column.
  void apply(double* x) const;
  /// x -> F' x.
  void apply_adjoint(double* x) const;
  /// P -> F P F' of a symmetric matrix, row by row.
  void apply_to_covariance(double* p) const;

 private:
  /// What a watt of power, and one of what its filter showed before, add to an integral.
  struct Growth {
    double of_power = 0.0;
    double of_filtered = 0.0;
  };

  const StateLayout& layout_;
  std::size_t filters_;
  std::size_t integrals_;
  double length_ = 0.0;
  std::vector<double> kept_;    ///< of a filter's state
  std::vector<Growth> growth_;  ///< by Integral::filter
};

inline Transition::Transition(const StateLayout& layout)
    : layout_(layout),
      filters_(layout.time_constants.size()),
      integrals_(layout.integrals.size()),
      kept_(filters_, 1.0),
      growth_(filters_ + 1) {}

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

inline void Transition::apply(double* x, std::size_t width) const {
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    const Growth growth = growth_[filter];
    const double* shown = x + filter * width;
    double* sum = x + (1 + filters_ + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      sum[c] += growth.of_power * x[c] + growth.of_filtered * shown[c];
    }
  }
  for (std::size_t i = 0; i < filters_; ++i) {
    double* behind = x + (1 + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      behind[c] = kept_[i] * behind[c] + (1 - kept_[i]) * x[c];
    }
  }
}

inline void Transition::apply(double* x) const {
  double* sum = x + 1 + filters_;
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    sum[i] += growth_[filter].of_power * x[0] + growth_[filter].of_filtered * x[filter];
  }
  for (std::size_t i = 0; i < filters_; ++i) x[1 + i] = kept_[i] * x[1 + i] + (1 - kept_[i]) * x[0];
}

inline void Transition::apply_adjoint(double* x) const {
  for (std::size_t i = 0; i < filters_; ++i) {
    double& behind = x[1 + i];
    x[0] += (1 - kept_[i]) * behind;
    behind *= kept_[i];
  }
  const double* sum = x + 1 + filters_;
  for (std::size_t i = 0; i < integrals_; ++i) {
    const std::size_t filter = layout_.integrals[i].filter;
    x[0] += growth_[filter].of_power * sum[i];
    if (filter > 0) x[filter] += growth_[filter].of_filtered * sum[i];
  }
}

inline void Transition::apply_to_covariance(double* p) const {
  const std::size_t n = 1 + filters_ + integrals_;
  apply(p, n);
  for (std::size_t i = 0; i < n; ++i) apply(p + i * n);
}

}  // namespace truewatt::energy
