#include "truewatt/simgpu/power_noise.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/simgpu/random.hpp"

namespace truewatt::simgpu {

PowerNoise::PowerNoise(Watts standard_deviation, std::uint64_t seed)
    : sigma_(standard_deviation.value()), seed_(seed) {}

void PowerNoise::grow(double t) {
  if (silent() || t < 0) return;
  const auto needed = static_cast<std::size_t>(t / kStep) + 2;
  static const double kCorrelation = std::exp(-kStep / kCorrelationTime);
  static const double kInnovation = std::sqrt(1.0 - kCorrelation * kCorrelation);
  while (values_.size() < needed) {
    const std::size_t i = values_.size();
    const double fresh = sigma_ * random_normal(seed_, 0, i);
    const double value = i == 0 ? fresh : kCorrelation * values_[i - 1] + kInnovation * fresh;
    const double sum = i == 0 ? 0.0 : integrals_[i - 1] + values_[i - 1] * kStep;
    const double double_sum = i == 0 ? 0.0
                                     : double_integrals_[i - 1] + integrals_[i - 1] * kStep +
                                           values_[i - 1] * kStep * kStep / 2;
    values_.push_back(value);
    integrals_.push_back(sum);
    double_integrals_.push_back(double_sum);
  }
}

std::size_t PowerNoise::index_of(double t) const {
  return std::min(static_cast<std::size_t>(t / kStep), values_.size() - 1);
}

double PowerNoise::value(double t) const { return silent() || t < 0 ? 0.0 : values_[index_of(t)]; }

double PowerNoise::integral(double t) const {
  if (silent() || t < 0) return 0.0;
  const std::size_t i = index_of(t);
  return integrals_[i] + values_[i] * (t - static_cast<double>(i) * kStep);
}

double PowerNoise::double_integral(double t) const {
  if (silent() || t < 0) return 0.0;
  const std::size_t i = index_of(t);
  const double s = t - static_cast<double>(i) * kStep;
  return double_integrals_[i] + integrals_[i] * s + values_[i] * s * s / 2;
}

LaggedNoise::LaggedNoise(const PowerNoise& noise, double time_constant)
    : noise_(&noise),
      time_constant_(time_constant),
      decay_(time_constant > 0 ? std::exp(-PowerNoise::kStep / time_constant) : 0.0) {}

void LaggedNoise::grow() {
  if (time_constant_ == 0.0) return;
  while (at_begin_.size() < noise_->steps()) {
    const std::size_t i = at_begin_.size();
    const double before = i == 0 ? 0.0 : noise_->step_value(i - 1);
    at_begin_.push_back(i == 0 ? 0.0 : before + (at_begin_[i - 1] - before) * decay_);
  }
}

double LaggedNoise::value(double t) const {
  if (time_constant_ == 0.0) return noise_->value(t);
  if (noise_->silent() || t < 0) return 0.0;
  const auto i = std::min(static_cast<std::size_t>(t / PowerNoise::kStep), at_begin_.size() - 1);
  const double s = t - static_cast<double>(i) * PowerNoise::kStep;
  const double input = noise_->step_value(i);
  return input + (at_begin_[i] - input) * std::exp(-s / time_constant_);
}

double LaggedNoise::integral(double t) const {
  if (time_constant_ == 0.0) return noise_->integral(t);
  return noise_->integral(t) - time_constant_ * value(t);
}

double LaggedNoise::double_integral(double t) const {
  if (time_constant_ == 0.0) return noise_->double_integral(t);
  return noise_->double_integral(t) - time_constant_ * integral(t);
}

}  // namespace truewatt::simgpu
