#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "truewatt/base/interval.hpp"
#include "truewatt/uncertainty/cause.hpp"

/// One algebra of uncertainty: a value with the errors that it rests on, and what sums, means,
/// ratios, differences and slopes of such values rest on (docs/method.md, section 11). To first
/// order (JCGM 100, 5.1.2 and 5.2.2): an error is a signed part of the value, u = (dy/dx) u(x), and
/// two values share it where its cause, and what that cause is an error of, are the same.
namespace truewatt::uncertainty {

/// What a component is an error of. Which of these fields count, its cause's recurrence says.
struct Origin {
  std::string sensor;   ///< one board's source, under one profile and calibration
  std::string kind;     ///< of board: sensors of one kind may err alike
  std::string program;  ///< what ran
  int run = 0;          ///< which of its runs

  friend bool operator==(const Origin&, const Origin&) = default;
};

/// One standard uncertainty, signed, in the value's unit.
struct Component {
  Cause cause = Cause::readings;
  Origin origin;
  double u = 0.0;
};

/// A cause's part of the standard uncertainty of a value, at least 0, in the value's unit.
struct Term {
  Cause cause = Cause::readings;
  double u = 0.0;
};

/// A value and the components of its standard uncertainty. Plain arithmetic; any thread.
class Budget {
 public:
  Budget() = default;
  explicit Budget(double value) : value_(value) {}

  /// Adds a component; one of 0 is nothing.
  void add(Cause cause, double u, const Origin& origin = {});

  double value() const { return value_; }
  const std::vector<Component>& components() const { return components_; }

  /// One line per cause, in the table's order. Components of one cause add by its recurrence:
  ///   signed                where they are of the same error,
  ///   linearly, but opposite signs in quadrature, where nobody knows whether they are alike,
  ///   in quadrature         where they are independent.
  std::vector<Term> terms() const;

  double standard_uncertainty() const {
    return part([](Cause) { return true; });
  }
  /// Of causes for which `wanted(cause)`.
  template <class Wanted>
  double part(Wanted wanted) const;
  /// Of gain and offset.
  double scale_part() const { return part(is_scale); }
  /// Of all but gain and offset.
  double precision() const {
    return part([](Cause cause) { return !is_scale(cause); });
  }

  /// value -> factor * value.
  Budget scaled(double factor) const;
  /// The same value without the components for which `unwanted(cause)`.
  template <class Unwanted>
  Budget without(Unwanted unwanted) const;

 private:
  friend Budget weighted_sum(std::span<const Budget> parts, std::span<const double> weights);
  double value_ = 0.0;
  std::vector<Component> components_;
};

/// Sum of weights[i] * parts[i]; as many weights as parts.
Budget weighted_sum(std::span<const Budget> parts, std::span<const double> weights);
Budget sum(std::span<const Budget> parts);
Budget difference(const Budget& a, const Budget& b);

/// ln(b / a), whose standard uncertainty is that of the ratio as a share of it. Both values above
/// 0.
Budget log_ratio(const Budget& a, const Budget& b);
/// b / a. Both values above 0.
Budget ratio(const Budget& a, const Budget& b);

/// 95 % interval.
Interval interval_of(const Budget& budget);
/// The same without gain and offset: on the sensor's scale.
Interval interval_on_scale(const Budget& budget);

/// Root of the sum of squares of the terms for which `wanted(cause)`.
template <class Wanted>
double part_of(std::span<const Term> terms, Wanted wanted) {
  double squares = 0.0;
  for (const Term& term : terms) {
    if (wanted(term.cause)) squares += term.u * term.u;
  }
  return std::sqrt(squares);
}

template <class Wanted>
double Budget::part(Wanted wanted) const {
  const std::vector<Term> all = terms();
  return part_of(std::span(all), wanted);
}

template <class Unwanted>
Budget Budget::without(Unwanted unwanted) const {
  Budget kept(value_);
  for (const Component& one : components_) {
    if (!unwanted(one.cause)) kept.components_.push_back(one);
  }
  return kept;
}

}  // namespace truewatt::uncertainty
