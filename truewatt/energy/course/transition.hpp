#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
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
  /// x -> F' x of `width` columns at once, and of one.
  template <class Size>
  void apply_adjoint(double* x, Size width) const;
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
  /// One column.
  using One = std::integral_constant<std::size_t, 1>;

  /// Of integral `i` in a step of this length.
  Growth growth_of(std::size_t i) const;
  /// Mostly: neither filters nor a deviation, so that power alone adds to the state.
  bool is_plain() const { return filters_ == 0 && swing_w_ == 0.0; }
  /// x -> F x of the first `n` states where it is.
  template <class Size, class Width>
  void add_power(double* x, Size n, Width width) const;

  const StateLayout& layout_;
  std::size_t filters_;
  std::size_t integrals_;
  std::size_t deviation_;
  double length_ = 0.0;
  double swing_w_ = 0.0;
  std::uint64_t resting_ = 0;
  std::vector<double> kept_;    ///< of a filter's state
  std::vector<Growth> growth_;  ///< by state; nothing of those that are no integrals
};

inline Transition::Transition(const StateLayout& layout)
    : layout_(layout),
      filters_(layout.time_constants.size()),
      integrals_(layout.integrals.size()),
      deviation_(layout.deviation()),
      kept_(filters_, 1.0),
      growth_(layout.size()) {}

inline void Transition::set_step(double length, double swing_w, std::uint64_t resting) {
  constexpr double kSame = 1e-9;  // steps of one cell are alike but for rounding
  swing_w_ = swing_w;
  if (!(length > 0)) return;  // nothing changes in it
  const bool is_as_long = std::abs(length - length_) <= kSame * length;
  if (is_as_long && resting == resting_) return;
  resting_ = resting;
  if (!is_as_long) {
    length_ = length;
    for (std::size_t i = 0; i < filters_; ++i) {
      kept_[i] = std::exp(-length / layout_.time_constants[i]);
    }
  }
  for (std::size_t i = 0; i < integrals_; ++i) growth_[1 + filters_ + i] = growth_of(i);
}

inline Transition::Growth Transition::growth_of(std::size_t i) const {
  if ((resting_ >> i & 1) != 0) return {};
  const auto& [filter, scale] = layout_.integrals[i];
  // What is behind no filter is what is drawn.
  if (filter == 0) return {scale * length_, 0.0};
  const double behind = layout_.time_constants[filter - 1] * (1 - kept_[filter - 1]);
  return {scale * (length_ - behind), scale * behind};
}

template <class Size, class Width>
inline void Transition::add_power(double* x, Size n, Width width) const {
  for (std::size_t i = 1; i < n; ++i) {
    const double of_power = growth_[i].of_power;
    for (std::size_t c = 0; c < width; ++c) x[i * width + c] += of_power * x[c];
  }
}

template <class Size>
inline void Transition::apply(double* x, Size width) const {
  if (is_plain()) return add_power(x, growth_.size(), width);
  for (std::size_t i = 0; i < integrals_; ++i) {
    const Growth growth = growth_[1 + filters_ + i];
    const double* shown = x + layout_.integrals[i].filter * width;
    double* sum = x + (1 + filters_ + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      sum[c] += growth.of_power * drawn(x + c, width) + growth.of_filtered * shown[c];
    }
  }
  for (std::size_t i = 0; i < filters_; ++i) {
    double* behind = x + (1 + i) * width;
    for (std::size_t c = 0; c < width; ++c) {
      behind[c] = kept_[i] * behind[c] + (1 - kept_[i]) * drawn(x + c, width);
    }
  }
}

inline void Transition::apply(double* x) const { apply(x, One()); }

template <class Size>
inline void Transition::apply_adjoint(double* x, Size width) const {
  const auto add_to_row = [x, width](std::size_t to, double times, std::size_t from) {
    for (std::size_t c = 0; c < width; ++c) x[to * width + c] += times * x[from * width + c];
  };
  const auto add_to_drawn_row = [&](double times, std::size_t from) {
    add_to_row(0, times, from);
    if (swing_w_ != 0.0) add_to_row(deviation_, swing_w_ * times, from);
  };
  for (std::size_t i = 0; i < filters_; ++i) {
    add_to_drawn_row(1 - kept_[i], 1 + i);
    double* behind = x + (1 + i) * width;
    for (std::size_t c = 0; c < width; ++c) behind[c] *= kept_[i];
  }
  for (std::size_t i = 1 + filters_; i < 1 + filters_ + integrals_; ++i) {
    add_to_drawn_row(growth_[i].of_power, i);
    const std::size_t filter = layout_.integrals[i - 1 - filters_].filter;
    if (filter != 0) add_to_row(filter, growth_[i].of_filtered, i);
  }
}

inline void Transition::apply_adjoint(double* x) const { apply_adjoint(x, One()); }

template <class Size>
inline void Transition::apply_to_covariance(double* p, Size n) const {
  if (is_plain()) {
    add_power(p, n, n);
    for (std::size_t i = 0; i < n; ++i) add_power(p + i * n, n, One());
    return;
  }
  apply(p, n);
  for (std::size_t i = 0; i < n; ++i) apply(p + i * n);
}

}  // namespace truewatt::energy
