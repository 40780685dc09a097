#include "truewatt/energy/course/power_smoother.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/energy/course/transition.hpp"

namespace truewatt::energy {
namespace {

/// So many readings in a row that tell nothing of a functional end the search for those that do.
constexpr std::size_t kQuietReadings = 24;
/// Tells nothing: takes less than this share of the variance; a weight below this share of the
/// largest one.
constexpr double kNothing = 1e-7;
constexpr double kNoWeight = 1e-4;
/// An integral that goes with the functional by less than this share of its variance will not tell
/// more when it is read.
constexpr double kUnrelated = 1e-3;

bool is_reading(const Step& step) {
  return step.action == StepAction::read || step.action == StepAction::count;
}

}  // namespace

PowerSmoother::PowerSmoother(StateLayout layout, std::vector<Step> steps, double initial_w,
                             double initial_variance)
    : layout_(std::move(layout)), steps_(std::move(steps)), n_(layout_.size()) {
  filter(initial_w, initial_variance);
  smooth();
}

void PowerSmoother::filter(double initial_w, double initial_variance) {
  std::vector<double> x(n_, 0.0);
  std::vector<double> p(n_ * n_, 0.0);
  Transition transition(layout_);
  const std::size_t settled = 1 + layout_.time_constants.size();
  for (std::size_t i = 0; i < settled; ++i) {
    x[i] = initial_w;
    for (std::size_t j = 0; j < settled; ++j) p[i * n_ + j] = initial_variance;
  }
  power_.reserve(steps_.size());
  rows_.reserve(steps_.size() * n_);
  next_reading_.reserve(steps_.size());
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    p[0] += step.jump_variance;
    if (step.renews) {
      renew(step, x);
      const std::size_t at = layout_.deviation();
      for (std::size_t i = 0; i < n_; ++i) p[at * n_ + i] = p[i * n_ + at] = 0.0;
    }
    if (layout_.deviates) p[n_ * n_ - 1] += step.swing_variance;
    transition.set_step(step);
    power_.push_back(transition.drawn(x.data()));
    for (std::size_t j = 0; j < n_; ++j) rows_.push_back(transition.drawn(p.data() + j, n_));
    next_reading_.push_back(reading_step_.size());
    if (step.length > 0) {
      transition.apply(x.data());
      transition.apply_to_covariance(p.data());
    }
    const std::size_t at = step.state;
    if (step.action == StepAction::open) {
      x[at] = 0.0;
      for (std::size_t i = 0; i < n_; ++i) p[at * n_ + i] = p[i * n_ + at] = 0.0;
      p[at * n_ + at] = step.variance;
    }
    if (!is_reading(step)) continue;
    const double scale = step.action == StepAction::read ? step.scale : 1.0;
    const double expected = scale * scale * p[at * n_ + at] + step.variance;
    const double innovation = step.value - scale * x[at];
    const std::size_t first = gain_.size();
    for (std::size_t i = 0; i < n_; ++i) gain_.push_back(scale * p[at * n_ + i] / expected);
    const double* gain = gain_.data() + first;
    for (std::size_t i = 0; i < n_; ++i) {
      x[i] += gain[i] * innovation;
      for (std::size_t j = 0; j < n_; ++j) p[i * n_ + j] -= gain[i] * gain[j] * expected;
    }
    if (step.action == StepAction::count) x[at] -= step.value;
    reading_step_.push_back(s);
    innovation_.push_back(innovation);
    innovation_variance_.push_back(expected);
    surprise_.push_back(innovation * innovation / expected);
  }
}

// Bryson and Frazier's form of the fixed-interval smoother: no covariance is inverted.
void PowerSmoother::smooth() {
  std::vector<double> adjoint(n_, 0.0);
  Transition transition(layout_);
  fitted_.resize(reading_step_.size());
  std::size_t reading = reading_step_.size();
  for (std::size_t s = steps_.size(); s-- > 0;) {
    const Step& step = steps_[s];
    if (step.action == StepAction::open) adjoint[step.state] = 0.0;
    if (is_reading(step)) {
      --reading;
      const double* gain = gain_.data() + reading * n_;
      const double scale = step.action == StepAction::read ? step.scale : 1.0;
      double learnt = 0.0;
      for (std::size_t i = 0; i < n_; ++i) learnt += gain[i] * adjoint[i];
      const double expected = innovation_variance_[reading];
      adjoint[step.state] += scale * (innovation_[reading] / expected - learnt);
      double moved = 0.0;
      for (std::size_t i = 0; i < n_; ++i) moved += gain[i] * adjoint[i];
      fitted_[reading] = step.value - innovation_[reading] + expected * moved;
    }
    if (step.length > 0) {
      transition.set_step(step);
      transition.apply_adjoint(adjoint.data());
    }
    const double* row = rows_.data() + s * n_;
    for (std::size_t i = 0; i < n_; ++i) power_[s] += row[i] * adjoint[i];
    renew(step, adjoint);
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
  std::vector<double> x(n_ * width, 0.0);
  Transition transition(layout_);
  double* innovation = innovations.data();
  const double* gain = gain_.data();
  for (const Step& step : steps_) {
    if (step.renews) {
      double* deviation = x.data() + layout_.deviation() * width;
      std::fill(deviation, deviation + width, 0.0);
    }
    if (step.length > 0) {
      transition.set_step(step);
      transition.apply(x.data(), width);
    }
    double* shown = x.data() + step.state * width;
    if (step.action == StepAction::open) std::fill(shown, shown + width, 0.0);
    if (!is_reading(step)) continue;
    const double scale = step.action == StepAction::read ? step.scale : 1.0;
    const double* column = columns.data() + (innovation - innovations.data());
    for (std::size_t c = 0; c < width; ++c) innovation[c] -= scale * shown[c];
    for (std::size_t i = 0; i < n_; ++i) {
      for (std::size_t c = 0; c < width; ++c) x[i * width + c] += gain[i] * innovation[c];
    }
    if (step.action == StepAction::count) {
      for (std::size_t c = 0; c < width; ++c) shown[c] -= column[c];
    }
    innovation += width;
    gain += n_;
  }
  return innovations;
}

std::vector<double> PowerSmoother::readings_of(std::span<const double> power) const {
  std::vector<double> readings;
  readings.reserve(reading_step_.size());
  Transition transition(layout_);
  std::vector<double> x(n_, 0.0);
  for (std::size_t i = 0; i < layout_.integral(0); ++i) x[i] = power.front();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    x[0] = power[s];
    if (step.length > 0) {
      transition.set_step(step);
      transition.apply(x.data());
    }
    double& shown = x[step.state];
    if (is_reading(step)) {
      readings.push_back(step.action == StepAction::read ? step.scale * shown : shown);
    }
    if (step.action == StepAction::open || step.action == StepAction::count) shown = 0.0;
  }
  return readings;
}

// With D the functional up to a step and x the state: s = Cov(D, x), q = Var(D), both given the
// readings so far. Then backwards: what a watt of the filtered state adds to the estimate of D.
FunctionalError PowerSmoother::error_of(const Functional& functional) const {
  FunctionalError error;
  Transition transition(layout_);
  const std::size_t last_weight = functional.first + functional.weights.size();
  std::vector<double> s(n_, 0.0);
  std::vector<double> learnt;  // of each reading: of D by its innovation
  double q = 0.0;
  std::size_t reading =
      functional.first < steps_.size() ? next_reading_[functional.first] : reading_step_.size();
  const std::size_t first_after = reading;
  std::size_t end = functional.first;
  std::size_t quiet = 0;
  for (std::size_t i = functional.first; i < steps_.size(); ++i) {
    const Step& step = steps_[i];
    const double weight =
        i < last_weight ? functional.weights[i - functional.first] * step.length : 0.0;
    renew(step, s);
    transition.set_step(step);
    if (weight != 0.0) {
      const double* row = rows_.data() + i * n_;
      q += 2 * weight * transition.drawn(s.data()) + weight * weight * transition.drawn(row);
      for (std::size_t j = 0; j < n_; ++j) s[j] += weight * row[j];
    }
    if (step.length > 0) transition.apply(s.data());
    if (step.action == StepAction::open) s[step.state] = 0.0;
    end = i + 1;
    if (!is_reading(step)) continue;
    const double* gain = gain_.data() + reading * n_;
    const double scale = step.action == StepAction::read ? step.scale : 1.0;
    const double covariance = scale * s[step.state];
    const double expected = innovation_variance_[reading];
    q -= covariance * covariance / expected;
    learnt.push_back(covariance / expected);
    for (std::size_t j = 0; j < n_; ++j) s[j] -= gain[j] * covariance;
    ++reading;
    if (i < last_weight) continue;
    quiet = covariance * covariance / expected < kNothing * q ? quiet + 1 : 0;
    const auto integrals = s.begin() + static_cast<std::ptrdiff_t>(layout_.integral(0));
    const auto after = s.begin() + static_cast<std::ptrdiff_t>(layout_.deviation());
    const bool is_pending =
        std::any_of(integrals, after, [q](double with) { return std::abs(with) > kUnrelated * q; });
    if (quiet > kQuietReadings && !is_pending) break;
  }
  error.variance = std::max(q, 0.0);

  std::vector<double> adjoint(n_, 0.0);
  std::vector<double> backwards;  // weights, the last reading's first
  double largest = 0.0;
  quiet = 0;
  for (std::size_t i = end; i-- > 0;) {
    const Step& step = steps_[i];
    if (step.action == StepAction::open) adjoint[step.state] = 0.0;
    if (is_reading(step)) {
      --reading;
      const double* gain = gain_.data() + reading * n_;
      const double scale = step.action == StepAction::read ? step.scale : 1.0;
      const bool is_before = reading < first_after;
      double of_value = is_before ? 0.0 : learnt[reading - first_after];
      for (std::size_t j = 0; j < n_; ++j) of_value += gain[j] * adjoint[j];
      const double counted = step.action == StepAction::count ? adjoint[step.state] : 0.0;
      adjoint[step.state] -= scale * of_value;
      const double weight = of_value - counted;
      backwards.push_back(weight);
      largest = std::max(largest, std::abs(weight));
      quiet = std::abs(weight) < kNoWeight * largest ? quiet + 1 : 0;
      if (is_before && quiet > kQuietReadings) break;
    }
    transition.set_step(step);
    if (step.length > 0) transition.apply_adjoint(adjoint.data());
    if (i >= functional.first && i < last_weight) {
      transition.add_to_drawn(adjoint.data(),
                              functional.weights[i - functional.first] * step.length);
    }
    renew(step, adjoint);
  }
  error.first_reading = reading;
  error.weights.assign(backwards.rbegin(), backwards.rend());
  return error;
}

}  // namespace truewatt::energy
