#include "truewatt/energy/course/power_smoother.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/course/smoother_pass.hpp"
#include "truewatt/energy/course/transition.hpp"

namespace truewatt::energy {

PowerSmoother::PowerSmoother(StateLayout layout, StepPlan plan, double initial_w,
                             double initial_variance) {
  smooth_again(std::move(layout), std::move(plan), initial_w, initial_variance);
}

void PowerSmoother::smooth_again(StateLayout layout, StepPlan plan, double initial_w,
                                 double initial_variance) {
  layout_ = std::move(layout);
  plan_ = std::move(plan);
  n_ = layout_.size();
  for (auto* numbers : {&innovation_, &innovation_variance_, &fitted_, &surprise_}) {
    numbers->clear();
  }
  reading_step_.clear();
  with_size(n_, [&](auto n) {
    filter(n, initial_w, initial_variance);
    smooth(n);
  });
}

template <class Size>
void PowerSmoother::filter(Size n, double initial_w, double initial_variance) {
  std::vector<double> x(n, 0.0);
  std::vector<double> p(n * n, 0.0);
  Transition transition(layout_);
  const std::size_t settled = 1 + layout_.time_constants.size();
  for (std::size_t i = 0; i < settled; ++i) {
    x[i] = initial_w;
    for (std::size_t j = 0; j < settled; ++j) p[i * n + j] = initial_variance;
  }
  power_.resize(steps());
  rows_.resize(steps() * n);
  const auto opened = std::count_if(plan_.ends.begin(), plan_.ends.end(), opens);
  gain_.resize((plan_.ends.size() - static_cast<std::size_t>(opened)) * n);
  double* row = rows_.data();
  double* gain = gain_.data();
  for (auto* of_readings : {&innovation_, &innovation_variance_, &surprise_}) {
    of_readings->reserve(plan_.ends.size());
  }
  reading_step_.reserve(plan_.ends.size());
  for (std::size_t s = 0; s < steps(); ++s) {
    Step& step = plan_.steps[s];
    p[0] += step.jump_variance;
    if (renews(s)) {
      renew(s, x);
      const std::size_t at = layout_.deviation();
      for (std::size_t i = 0; i < n; ++i) p[at * n + i] = p[i * n + at] = 0.0;
    }
    if (layout_.deviates) p[n * n - 1] += plan_.swings[s].variance;
    transition.set_step(step.length, swing_w(s), resting(s));
    power_[s] = transition.drawn(x.data());
    for (std::size_t j = 0; j < n; ++j) row[j] = transition.drawn(p.data() + j, n);
    row += n;
    step.next_reading = static_cast<std::uint32_t>(reading_step_.size());
    if (step.length > 0) {
      transition.apply(x.data());
      transition.apply_to_covariance(p.data(), n);
    }
    const StepEnd* end = end_of(step);
    if (end == nullptr) continue;
    const std::size_t at = end->state;
    if (opens(*end)) {
      x[at] = 0.0;
      for (std::size_t i = 0; i < n; ++i) p[at * n + i] = p[i * n + at] = 0.0;
      p[at * n + at] = end->variance;
      continue;
    }
    const double scale = scale_of(*end);
    const double expected = scale * scale * p[at * n + at] + end->variance;
    const double innovation = end->value - scale * x[at];
    for (std::size_t i = 0; i < n; ++i) gain[i] = scale * p[at * n + i] / expected;
    for (std::size_t i = 0; i < n; ++i) {
      x[i] += gain[i] * innovation;
      for (std::size_t j = 0; j < n; ++j) p[i * n + j] -= gain[i] * gain[j] * expected;
    }
    gain += n;
    if (end->action == StepAction::count) x[at] -= end->value;
    reading_step_.push_back(s);
    innovation_.push_back(innovation);
    innovation_variance_.push_back(expected);
    surprise_.push_back(innovation * innovation / expected);
  }
}

// Bryson and Frazier's form of the fixed-interval smoother: no covariance is inverted.
template <class Size>
void PowerSmoother::smooth(Size n) {
  std::vector<double> adjoint(n, 0.0);
  Transition transition(layout_);
  fitted_.resize(reading_step_.size());
  awaited_.resize(reading_step_.size());
  std::size_t reading = reading_step_.size();
  std::uint32_t awaited = bit_of(kLastBit);
  for (std::size_t s = steps(); s-- > 0;) {
    const Step& step = plan_.steps[s];
    const StepEnd* end = end_of(step);
    if (end != nullptr && opens(*end)) {
      adjoint[end->state] = 0.0;
      if (end->state < kLastBit) awaited &= ~bit_of(end->state);
    } else if (end != nullptr) {
      awaited_[--reading] = awaited;
      awaited |= bit_of(end->state);
      const double* gain = gain_.data() + reading * n;
      double learnt = 0.0;
      for (std::size_t i = 0; i < n; ++i) learnt += gain[i] * adjoint[i];
      const double expected = innovation_variance_[reading];
      adjoint[end->state] += scale_of(*end) * (innovation_[reading] / expected - learnt);
      double moved = 0.0;
      for (std::size_t i = 0; i < n; ++i) moved += gain[i] * adjoint[i];
      fitted_[reading] = end->value - innovation_[reading] + expected * moved;
    }
    if (step.length > 0) {
      transition.set_step(step.length, swing_w(s), resting(s));
      transition.apply_adjoint(adjoint.data());
    }
    const double* row = rows_.data() + s * n;
    double power = power_[s];
    for (std::size_t i = 0; i < n; ++i) power += row[i] * adjoint[i];
    power_[s] = power;
    renew(s, adjoint);
  }
}

double PowerSmoother::log_likelihood() const {
  double sum = 0.0;
  for (std::size_t k = 0; k < surprise_.size(); ++k) {
    sum -= (std::log(innovation_variance_[k]) + surprise_[k]) / 2;
  }
  return sum;
}

std::vector<double> PowerSmoother::innovations_of(std::span<const double> columns,
                                                  std::size_t width) const {
  std::vector<double> innovations(columns.begin(), columns.end());
  with_size(width, [&](auto w) { take_innovations(w, columns, innovations, nullptr); });
  return innovations;
}

std::vector<float> PowerSmoother::responses_to(std::span<const double> columns,
                                               std::size_t width) const {
  std::vector<double> innovations(columns.begin(), columns.end());
  std::vector<float> power(steps() * width);
  with_size(width, [&](auto w) {
    take_innovations(w, columns, innovations, &power);
    smooth_columns(w, innovations, power);
  });
  return power;
}

template <class Size>
void PowerSmoother::smooth_columns(Size width, std::span<const double> innovations,
                                   std::vector<float>& power) const {
  const std::size_t n = n_;
  std::vector<double> adjoint(n * width, 0.0);
  std::vector<double> learnt(width);
  Transition transition(layout_);
  std::size_t reading = reading_step_.size();
  for (std::size_t s = steps(); s-- > 0;) {
    const Step& step = plan_.steps[s];
    const StepEnd* end = end_of(step);
    double* of_end = end != nullptr ? adjoint.data() + end->state * width : nullptr;
    if (end != nullptr && opens(*end)) {
      std::fill(of_end, of_end + width, 0.0);
    } else if (end != nullptr) {
      const double* gain = gain_.data() + --reading * n;
      const double* innovation = innovations.data() + reading * width;
      std::fill(learnt.begin(), learnt.end(), 0.0);
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t c = 0; c < width; ++c) learnt[c] += gain[i] * adjoint[i * width + c];
      }
      for (std::size_t c = 0; c < width; ++c) {
        of_end[c] += scale_of(*end) * (innovation[c] / innovation_variance_[reading] - learnt[c]);
      }
    }
    if (step.length > 0) {
      transition.set_step(step.length, swing_w(s), resting(s));
      transition.apply_adjoint(adjoint.data(), width);
    }
    const double* row = rows_.data() + s * n;
    for (std::size_t c = 0; c < width; ++c) {
      double more = 0.0;
      for (std::size_t i = 0; i < n; ++i) more += row[i] * adjoint[i * width + c];
      power[s * width + c] += static_cast<float>(more);
    }
    if (!renews(s)) continue;
    double* deviation = adjoint.data() + layout_.deviation() * width;
    std::fill(deviation, deviation + width, 0.0);
  }
}

template <class Size>
void PowerSmoother::take_innovations(Size width, std::span<const double> columns,
                                     std::vector<double>& innovations,
                                     std::vector<float>* power) const {
  const std::size_t n = n_;
  std::vector<double> x(n * width, 0.0);
  Transition transition(layout_);
  double* innovation = innovations.data();
  const double* gain = gain_.data();
  for (std::size_t s = 0; s < steps(); ++s) {
    const Step& step = plan_.steps[s];
    if (renews(s)) {
      double* deviation = x.data() + layout_.deviation() * width;
      std::fill(deviation, deviation + width, 0.0);
    }
    transition.set_step(step.length, swing_w(s), resting(s));
    for (std::size_t c = 0; power != nullptr && c < width; ++c) {
      (*power)[s * width + c] = static_cast<float>(transition.drawn(x.data() + c, width));
    }
    if (step.length > 0) transition.apply(x.data(), width);
    const StepEnd* end = end_of(step);
    if (end == nullptr) continue;
    double* shown = x.data() + end->state * width;
    if (opens(*end)) {
      std::fill(shown, shown + width, 0.0);
      continue;
    }
    const double scale = scale_of(*end);
    const double* column = columns.data() + (innovation - innovations.data());
    for (std::size_t c = 0; c < width; ++c) innovation[c] -= scale * shown[c];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < width; ++c) x[i * width + c] += gain[i] * innovation[c];
    }
    if (end->action == StepAction::count) {
      for (std::size_t c = 0; c < width; ++c) shown[c] -= column[c];
    }
    innovation += width;
    gain += n;
  }
}

std::vector<double> PowerSmoother::readings_of(std::span<const double> power) const {
  std::vector<double> readings;
  readings.reserve(reading_step_.size());
  Transition transition(layout_);
  std::vector<double> x(n_, 0.0);
  for (std::size_t i = 0; i < layout_.integral(0); ++i) x[i] = power.front();
  for (std::size_t s = 0; s < steps(); ++s) {
    const Step& step = plan_.steps[s];
    x[0] = power[s];
    if (step.length > 0) {
      transition.set_step(step.length, swing_w(s), resting(s));
      transition.apply(x.data());
    }
    const StepEnd* end = end_of(step);
    if (end == nullptr) continue;
    double& shown = x[end->state];
    if (!opens(*end)) readings.push_back(scale_of(*end) * shown);
    if (end->action != StepAction::read) shown = 0.0;
  }
  return readings;
}

}  // namespace truewatt::energy
