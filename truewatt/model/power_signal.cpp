#include "truewatt/model/power_signal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace truewatt {
namespace {

/// exp(-40) = 4e-18: a term that has decayed for so long is below the last bit of its constant.
constexpr double kForgotten = 40.0;

}  // namespace

PowerSignal::PowerSignal(double initial_watts, std::array<double, kTerms> decay_times)
    : decay_times_(decay_times) {
  assert(std::all_of(decay_times.begin(), decay_times.end(), [](double tau) { return tau > 0; }));
  segments_.push_back({0.0, initial_watts, {}});
  at_begin_.push_back({});
}

void PowerSignal::append(const Segment& segment) {
  assert(segment.begin >= segments_.back().begin);
  const Sums sums = sums_in(segments_.size() - 1, segment.begin);
  segments_.push_back(segment);
  at_begin_.push_back(sums);
}

std::size_t PowerSignal::index_of(double t) const {
  const auto after =
      std::upper_bound(segments_.begin() + 1, segments_.end(), t,
                       [](double time, const Segment& segment) { return time < segment.begin; });
  return static_cast<std::size_t>(after - segments_.begin()) - 1;
}

std::size_t PowerSignal::index_of(double t, std::size_t near) const {
  while (near + 1 < segments_.size() && segments_[near + 1].begin <= t) ++near;
  while (near > 0 && segments_[near].begin > t) --near;
  return near;
}

PowerSignal::Amplitudes PowerSignal::amplitudes_in(std::size_t i, double t) const {
  const Segment& segment = segments_[i];
  const double s = t - segment.begin;
  Amplitudes now{};
  for (std::size_t j = 0; j < kTerms; ++j) {
    if (segment.amplitudes[j] == 0.0 || s > kForgotten * decay_times_[j]) continue;
    now[j] = segment.amplitudes[j] * std::exp(-s / decay_times_[j]);
  }
  return now;
}

double PowerSignal::value(double t) const { return value_in(index_of(t), t); }

double PowerSignal::value_in(std::size_t i, double t) const {
  double sum = segments_[i].constant;
  for (const double amplitude : amplitudes_in(i, t)) sum += amplitude;
  return sum;
}

PowerSignal::Sums PowerSignal::sums_in(std::size_t i, double t) const {
  const Segment& segment = segments_[i];
  const double s = t - segment.begin;
  Sums sums;
  sums.integral = at_begin_[i].integral + segment.constant * s;
  sums.double_integral =
      at_begin_[i].double_integral + at_begin_[i].integral * s + segment.constant * s * s / 2;
  for (std::size_t j = 0; j < kTerms; ++j) {
    const double amplitude = segment.amplitudes[j];
    if (amplitude == 0.0) continue;
    const double tau = decay_times_[j];
    const double area = -tau * std::expm1(-s / tau);  // integral of exp(-s/tau)
    sums.integral += amplitude * area;
    sums.double_integral += amplitude * tau * (s - area);
  }
  return sums;
}

double PowerSignal::integral(double t) const { return integral_in(index_of(t), t); }

double PowerSignal::integral_in(std::size_t i, double t) const {
  const Segment& segment = segments_[i];
  const double s = t - segment.begin;
  double sum = at_begin_[i].integral + segment.constant * s;
  for (std::size_t j = 0; j < kTerms; ++j) {
    if (segment.amplitudes[j] == 0.0) continue;
    const double tau = decay_times_[j];
    const double area = s > kForgotten * tau ? tau : -tau * std::expm1(-s / tau);
    sum += segment.amplitudes[j] * area;
  }
  return sum;
}

double PowerSignal::double_integral(double t) const {
  return sums_in(index_of(t), t).double_integral;
}

double lagged_decay(double s, double decay_time, double lag) {
  // With x = s/lag - s/decay_time the quotient is (s/lag) exp(-s/decay_time) (1 - exp(-x)) / x.
  // Written around the slower of the two decays nothing overflows, and x = 0 is no exception.
  const double x = s / lag - s / decay_time;
  const double slower = std::exp(-std::min(s / lag, s / decay_time));
  const double magnitude = std::abs(x);
  const double mean = magnitude < 1e-12 ? 1.0 : -std::expm1(-magnitude) / magnitude;
  return s / lag * slower * mean;
}

LaggedSignal::LaggedSignal(const PowerSignal& signal, double time_constant)
    : signal_(&signal), time_constant_(time_constant) {
  assert(time_constant >= 0);
  rebuild();
}

void LaggedSignal::rebuild() {
  const auto segments = signal_->segments();
  initial_ = segments[0].constant;
  at_begin_.assign(1, initial_);
  for (std::size_t i = 1; i < segments.size(); ++i) {
    at_begin_.push_back(value_in(i - 1, segments[i].begin));
  }
}

double LaggedSignal::value_in(std::size_t segment_index, double t) const {
  const PowerSignal::Segment& segment = signal_->segments()[segment_index];
  const double s = t - segment.begin;
  if (s <= 0) return at_begin_[segment_index];
  double z = segment.constant;
  if (s < kForgotten * time_constant_) {
    z += (at_begin_[segment_index] - segment.constant) * std::exp(-s / time_constant_);
  }
  for (std::size_t j = 0; j < PowerSignal::kTerms; ++j) {
    const double amplitude = segment.amplitudes[j];
    const double tau = signal_->decay_times()[j];
    if (amplitude == 0.0 || s > kForgotten * std::max(tau, time_constant_)) continue;
    z += amplitude * lagged_decay(s, tau, time_constant_);
  }
  return z;
}

double LaggedSignal::value(double t) const {
  if (time_constant_ == 0.0) return signal_->value(t);
  return value_in(signal_->index_of(t), t);
}

LaggedSignal::Point LaggedSignal::at_in(std::size_t i, double t) const {
  // C dz/dt = P - z, integrated: what the lag still holds is C (z - z(0)).
  const double now = time_constant_ == 0.0 ? signal_->value_in(i, t) : value_in(i, t);
  return {now, signal_->integral_in(i, t) - time_constant_ * (now - initial_)};
}

double LaggedSignal::integral(double t) const {
  if (time_constant_ == 0.0) return signal_->integral(t);
  return at(t).integral;
}

double LaggedSignal::double_integral(double t) const {
  if (time_constant_ == 0.0) return signal_->double_integral(t);
  return signal_->double_integral(t) - time_constant_ * (integral(t) - initial_ * t);
}

}  // namespace truewatt
