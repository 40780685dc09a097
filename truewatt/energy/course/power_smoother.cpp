#include "truewatt/energy/course/power_smoother.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

/// How one step changes the state: power stays, filters follow it, integrals add up.
struct Transition {
  Transition(const StateLayout& of, const Step& step)
      : layout(of), length(step.length), swing_w(of.deviates ? step.swing_w : 0.0) {
    kept.reserve(layout.time_constants.size());
    for (const double tau : layout.time_constants) kept.push_back(std::exp(-length / tau));
  }
  /// Power with what it deviates by, of numbers `stride` apart.
  double power(const double* x, std::size_t stride) const {
    return swing_w != 0.0 ? x[0] + swing_w * x[layout.deviation() * stride] : x[0];
  }
  void add_to_power(double* x, double more) const {
    x[0] += more;
    if (swing_w != 0.0) x[layout.deviation()] += swing_w * more;
  }
  /// Of an integral: what a watt of power, and one of what its filter showed before, add to it.
  std::pair<double, double> growth(const Integral& integral) const {
    if (integral.filter == 0) return {length, 0.0};
    const double tau = layout.time_constants[integral.filter - 1];
    const double behind = tau * (1 - kept[integral.filter - 1]);
    return {length - behind, behind};
  }
  const StateLayout& layout;
  double length;
  double swing_w;
  std::vector<double> kept;  ///< of a filter's state
};

/// x -> F x, of numbers `stride` apart.
void apply(const Transition& step, double* x, std::size_t stride) {
  const StateLayout& layout = step.layout;
  const double drawn = step.power(x, stride);
  for (std::size_t i = 0; i < layout.integrals.size(); ++i) {
    const auto [power, filtered] = step.growth(layout.integrals[i]);
    double& sum = x[layout.integral(i) * stride];
    sum += power * drawn;
    if (filtered != 0.0) sum += filtered * x[layout.integrals[i].filter * stride];
  }
  for (std::size_t i = 0; i < step.kept.size(); ++i) {
    double& behind = x[layout.filter(i) * stride];
    behind = step.kept[i] * behind + (1 - step.kept[i]) * drawn;
  }
}

/// x -> F' x.
void apply_adjoint(const Transition& step, double* x) {
  const StateLayout& layout = step.layout;
  double of_power = 0.0;
  for (std::size_t i = 0; i < step.kept.size(); ++i) {
    double& behind = x[layout.filter(i)];
    of_power += (1 - step.kept[i]) * behind;
    behind *= step.kept[i];
  }
  for (std::size_t i = 0; i < layout.integrals.size(); ++i) {
    const auto [power, filtered] = step.growth(layout.integrals[i]);
    const double sum = x[layout.integral(i)];
    of_power += power * sum;
    if (filtered != 0.0) x[layout.integrals[i].filter] += filtered * sum;
  }
  step.add_to_power(x, of_power);
}

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
    const Transition transition(layout_, step);
    power_.push_back(transition.power(x.data(), 1));
    for (std::size_t j = 0; j < n_; ++j) rows_.push_back(transition.power(p.data() + j, n_));
    next_reading_.push_back(reading_step_.size());
    if (step.length > 0) {
      apply(transition, x.data(), 1);
      for (std::size_t j = 0; j < n_; ++j) apply(transition, p.data() + j, n_);
      for (std::size_t i = 0; i < n_; ++i) apply(transition, p.data() + i * n_, 1);
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
    if (step.length > 0) apply_adjoint(Transition(layout_, step), adjoint.data());
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

std::vector<double> PowerSmoother::innovations_of(std::span<const double> column) const {
  std::vector<double> innovations;
  innovations.reserve(column.size());
  std::vector<double> x(n_, 0.0);
  for (const Step& step : steps_) {
    renew(step, x);
    if (step.length > 0) apply(Transition(layout_, step), x.data(), 1);
    if (step.action == StepAction::open) x[step.state] = 0.0;
    if (!is_reading(step)) continue;
    const std::size_t reading = innovations.size();
    const double scale = step.action == StepAction::read ? step.scale : 1.0;
    const double innovation = column[reading] - scale * x[step.state];
    const double* gain = gain_.data() + reading * n_;
    for (std::size_t i = 0; i < n_; ++i) x[i] += gain[i] * innovation;
    if (step.action == StepAction::count) x[step.state] -= column[reading];
    innovations.push_back(innovation);
  }
  return innovations;
}

std::vector<double> PowerSmoother::readings_of(std::span<const double> power) const {
  std::vector<double> readings;
  readings.reserve(reading_step_.size());
  std::vector<double> x(n_, 0.0);
  for (std::size_t i = 0; i < layout_.integral(0); ++i) x[i] = power.front();
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const Step& step = steps_[s];
    x[0] = power[s];
    if (step.length > 0) apply(Transition(layout_, step), x.data(), 1);
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
    const Transition transition(layout_, step);
    if (weight != 0.0) {
      const double* row = rows_.data() + i * n_;
      q += 2 * weight * transition.power(s.data(), 1) + weight * weight * transition.power(row, 1);
      for (std::size_t j = 0; j < n_; ++j) s[j] += weight * row[j];
    }
    if (step.length > 0) apply(transition, s.data(), 1);
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
    const Transition transition(layout_, step);
    if (step.length > 0) apply_adjoint(transition, adjoint.data());
    if (i >= functional.first && i < last_weight) {
      transition.add_to_power(adjoint.data(),
                              functional.weights[i - functional.first] * step.length);
    }
    renew(step, adjoint);
  }
  error.first_reading = reading;
  error.weights.assign(backwards.rbegin(), backwards.rend());
  return error;
}

}  // namespace truewatt::energy
