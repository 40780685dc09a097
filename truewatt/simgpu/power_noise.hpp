#pragma once

#include <cstdint>
#include <vector>

#include "truewatt/base/units.hpp"

namespace truewatt::simgpu {

/// Fluctuation of a board's power: an Ornstein-Uhlenbeck process, held constant over steps of a
/// fifth of its correlation time, so that value, integral and lag have closed forms. Grown on
/// demand and always the same for a seed. Not safe to grow from two threads.
class PowerNoise {
 public:
  static constexpr double kCorrelationTime = 0.010;  // s
  static constexpr double kStep = kCorrelationTime / 5;

  PowerNoise(Watts standard_deviation, std::uint64_t seed);

  /// Makes [0, t] available.
  void grow(double t);
  bool silent() const { return sigma_ == 0.0; }
  std::size_t steps() const { return values_.size(); }

  double value(double t) const;
  /// Joules from 0 to t.
  double integral(double t) const;
  double double_integral(double t) const;
  double step_value(std::size_t i) const { return values_[i]; }

 private:
  std::size_t index_of(double t) const;

  double sigma_;
  std::uint64_t seed_;
  std::vector<double> values_;
  std::vector<double> integrals_;  // at the begin of each step
  std::vector<double> double_integrals_;
};

/// The same noise behind a first-order lag.
class LaggedNoise {
 public:
  LaggedNoise(const PowerNoise& noise, double time_constant);
  void grow();
  double value(double t) const;
  double integral(double t) const;
  double double_integral(double t) const;

 private:
  const PowerNoise* noise_;
  double time_constant_;
  double decay_;                  // over one step
  std::vector<double> at_begin_;  // z at the begin of each step
};

}  // namespace truewatt::simgpu
