#include "truewatt/simgpu/power_noise.hpp"

#include <cmath>

#include "truewatt/simgpu/random.hpp"

namespace truewatt::simgpu {
namespace {

std::size_t index_of(double t) { return static_cast<std::size_t>(t / PowerNoise::kStep); }
/// How long after the begin of its step.
double into_step(double t) { return t - static_cast<double>(index_of(t)) * PowerNoise::kStep; }

}  // namespace

PowerNoise::PowerNoise(Watts standard_deviation, std::uint64_t seed)
    : sigma_(standard_deviation.value()),
      seed_(seed),
      steps_({.value = silent() ? 0.0 : sigma_ * random_normal(seed, 0, 0)}) {}

PowerNoise::Step PowerNoise::step(std::size_t i) const {
  static const double kCorrelation = std::exp(-kStep / kCorrelationTime);
  static const double kInnovation = std::sqrt(1.0 - kCorrelation * kCorrelation);
  return steps_.at(i, [this](std::size_t before, const Step& from) {
    const double fresh = sigma_ * random_normal(seed_, 0, before + 1);
    return Step{kCorrelation * from.value + kInnovation * fresh, from.integral + from.value * kStep,
                from.double_integral + from.integral * kStep + from.value * kStep * kStep / 2};
  });
}

double PowerNoise::value(double t) const {
  return silent() || t < 0 ? 0.0 : step(index_of(t)).value;
}

double PowerNoise::integral(double t) const {
  if (silent() || t < 0) return 0.0;
  const Step at = step(index_of(t));
  return at.integral + at.value * into_step(t);
}

double PowerNoise::double_integral(double t) const {
  if (silent() || t < 0) return 0.0;
  const Step at = step(index_of(t));
  const double s = into_step(t);
  return at.double_integral + at.integral * s + at.value * s * s / 2;
}

LaggedNoise::LaggedNoise(const PowerNoise& noise, double time_constant)
    : noise_(&noise),
      time_constant_(time_constant),
      decay_(time_constant > 0 ? std::exp(-PowerNoise::kStep / time_constant) : 0.0),
      at_begin_(0.0) {}

double LaggedNoise::value(double t) const {
  if (time_constant_ == 0.0) return noise_->value(t);
  if (noise_->silent() || t < 0) return 0.0;
  const double at_begin = at_begin_.at(index_of(t), [this](std::size_t before, double from) {
    const double input = noise_->step_value(before);
    return input + (from - input) * decay_;
  });
  const double input = noise_->step_value(index_of(t));
  return input + (at_begin - input) * std::exp(-into_step(t) / time_constant_);
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
