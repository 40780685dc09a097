// What functionals of the smoothed power err by.

#include <algorithm>
#include <cmath>

#include "truewatt/energy/course/power_smoother.hpp"
#include "truewatt/energy/course/smoother_pass.hpp"
#include "truewatt/energy/course/transition.hpp"

namespace truewatt::energy {
namespace {

/// So many readings in a row that tell nothing of a functional end the search for those that do.
constexpr std::size_t kQuietReadings = 24;
/// Tells nothing: takes less than this share of the variance.
constexpr double kNothing = 1e-5;
/// An integral that goes with the functional by less than this share of its variance will not tell
/// more when it is read; nor will one whose last reading told nothing.
constexpr double kUnrelated = 1e-3;

}  // namespace

// With D the functional up to a step and x the state: s = Cov(D, x), q = Var(D), both given the
// readings so far. Then backwards: what a watt of the filtered state adds to the estimate of D.
template <class Size>
PowerSmoother::Forwards PowerSmoother::forwards(Size n, const Functional& functional) const {
  Forwards found;
  Transition transition(layout_);
  const std::size_t last_weight = functional.first + functional.weights.size();
  std::vector<double> s(n, 0.0);
  double q = 0.0;
  std::size_t reading =
      functional.first < steps() ? next_reading(functional.first) : reading_step_.size();
  found.first_reading = reading;
  found.behind = functional.first;
  std::size_t quiet = 0;
  std::uint32_t told = 0;  // by state: its last reading behind the weights told nothing
  for (std::size_t i = functional.first; i < steps(); ++i) {
    const Step& step = plan_.steps[i];
    const double weight =
        i < last_weight ? functional.weights[i - functional.first] * step.length : 0.0;
    renew(i, s);
    transition.set_step(step.length, swing_w(i), resting(i));
    if (weight != 0.0) {
      const double* row = rows_.data() + i * n;
      q += 2 * weight * transition.drawn(s.data()) + weight * weight * transition.drawn(row);
      for (std::size_t j = 0; j < n; ++j) s[j] += weight * row[j];
    }
    if (step.length > 0) transition.apply(s.data());
    found.behind = i + 1;
    const StepEnd* end = end_of(step);
    if (end == nullptr) continue;
    if (opens(*end)) {
      s[end->state] = 0.0;
      continue;
    }
    const double* gain = gain_.data() + reading * n;
    const double covariance = scale_of(*end) * s[end->state];
    const double expected = innovation_variance_[reading];
    q -= covariance * covariance / expected;
    found.learnt.push_back(covariance / expected);
    for (std::size_t j = 0; j < n; ++j) s[j] -= gain[j] * covariance;
    ++reading;
    if (i < last_weight) continue;
    const bool is_quiet = covariance * covariance / expected < kNothing * q;
    quiet = is_quiet ? quiet + 1 : 0;
    const std::uint32_t bit = bit_of(end->state);
    told = is_quiet && end->state < kLastBit ? told | bit : told & ~bit;
    if (quiet <= kQuietReadings) continue;
    bool is_pending = false;
    const std::uint32_t awaited = awaited_[reading - 1] & ~told;
    for (std::size_t j = layout_.integral(0); j < layout_.deviation(); ++j) {
      is_pending |= (awaited & bit_of(j)) != 0 && std::abs(s[j]) > kUnrelated * q;
    }
    if (!is_pending) break;
  }
  found.variance = std::max(q, 0.0);
  return found;
}

template <class Size>
FunctionalError PowerSmoother::backwards(Size n, const Functional& functional,
                                         const Forwards& found) const {
  FunctionalError error{.variance = found.variance};
  Transition transition(layout_);
  const std::size_t last_weight = functional.first + functional.weights.size();
  std::size_t reading = found.first_reading + found.learnt.size();
  std::vector<double> adjoint(n, 0.0);
  std::vector<double> weights;  // the last reading's first
  std::size_t quiet = 0;
  for (std::size_t i = found.behind; i-- > 0;) {
    const Step& step = plan_.steps[i];
    const StepEnd* end = end_of(step);
    if (end != nullptr && opens(*end)) {
      adjoint[end->state] = 0.0;
    } else if (end != nullptr) {
      --reading;
      const double* gain = gain_.data() + reading * n;
      const bool is_before = reading < found.first_reading;
      double of_value = is_before ? 0.0 : found.learnt[reading - found.first_reading];
      for (std::size_t j = 0; j < n; ++j) of_value += gain[j] * adjoint[j];
      const double counted = end->action == StepAction::count ? adjoint[end->state] : 0.0;
      adjoint[end->state] -= scale_of(*end) * of_value;
      const double weight = of_value - counted;
      weights.push_back(weight);
      const double told = weight * weight * innovation_variance_[reading];
      quiet = told < kNothing * found.variance ? quiet + 1 : 0;
      if (is_before && quiet > kQuietReadings) break;
    }
    transition.set_step(step.length, swing_w(i), resting(i));
    if (step.length > 0) transition.apply_adjoint(adjoint.data());
    if (i >= functional.first && i < last_weight) {
      transition.add_to_drawn(adjoint.data(),
                              functional.weights[i - functional.first] * step.length);
    }
    renew(i, adjoint);
  }
  error.first_reading = reading;
  error.weights.assign(weights.rbegin(), weights.rend());
  return error;
}

PowerSmoother::Forwards PowerSmoother::forwards(const Functional& functional) const {
  return with_size(n_, [&](auto n) { return forwards(n, functional); });
}

FunctionalError PowerSmoother::error_of(const Functional& functional) const {
  return with_size(n_, [&](auto n) { return backwards(n, functional, forwards(n, functional)); });
}

}  // namespace truewatt::energy
