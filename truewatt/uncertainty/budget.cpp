#include "truewatt/uncertainty/budget.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>

namespace truewatt::uncertainty {
namespace {

/// Components of one key are one error.
using Key = std::tuple<std::string, std::string, int>;

Key same_error(Recurrence recurrence, const Origin& origin) {
  switch (recurrence) {
    case Recurrence::per_run:
    case Recurrence::alike_every_run:
    case Recurrence::per_program:
      return {origin.sensor, origin.program, origin.run};
    case Recurrence::per_profile:
    case Recurrence::board_gain:
    case Recurrence::board_offset:
      break;
  }
  return {origin.sensor, "", 0};
}

/// Errors of one key may be alike or not; those of different keys are independent.
Key perhaps_alike(Recurrence recurrence, const Origin& origin) {
  switch (recurrence) {
    case Recurrence::per_run:
    case Recurrence::per_profile:
      return same_error(recurrence, origin);
    case Recurrence::alike_every_run:
      return {origin.sensor, "", 0};
    case Recurrence::per_program:
      return {origin.sensor, origin.program, 0};
    case Recurrence::board_gain:
    case Recurrence::board_offset:
      break;
  }
  return {origin.kind.empty() ? origin.sensor : origin.kind, "", 0};
}

/// What components of one cause make together.
class Combined {
 public:
  explicit Combined(Recurrence recurrence) : recurrence_(recurrence) {}
  void add(const Component& one) {
    groups_[perhaps_alike(recurrence_, one.origin)][same_error(recurrence_, one.origin)] += one.u;
  }
  double u() const {
    double squares = 0.0;
    for (const auto& [group, errors] : groups_) {
      double above = 0.0;
      double below = 0.0;
      for (const auto& [key, error] : errors) (error > 0 ? above : below) += error;
      squares += above * above + below * below;
    }
    return std::sqrt(squares);
  }

 private:
  Recurrence recurrence_;
  std::map<Key, std::map<Key, double>> groups_;
};

/// Components of one error become one: what many values have in common is in their sum once.
void unite(std::vector<Component>& components) {
  constexpr std::size_t kMany = 64;
  if (components.size() < kMany) return;
  for (Component& one : components) {
    const auto [sensor, program, run] = same_error(row_of(one.cause).recurrence, one.origin);
    one.origin.program = program;
    one.origin.run = run;
  }
  const auto key = [](const Component& one) {
    const Origin& of = one.origin;
    return std::tie(one.cause, of.run, of.program, of.sensor, of.kind);
  };
  std::stable_sort(components.begin(), components.end(),
                   [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < components.size(); ++i) {
    if (key(components[kept]) == key(components[i])) {
      components[kept].u += components[i].u;
    } else if (++kept != i) {
      components[kept] = std::move(components[i]);
    }
  }
  components.resize(kept + 1);
}

/// Errors that cancel but for rounding are none.
constexpr double kRounding = 1e-12;

}  // namespace

void Budget::add(Cause cause, double u, const Origin& origin) {
  if (u != 0.0) components_.push_back({cause, origin, u});
}

std::vector<Term> Budget::terms() const {
  std::map<Cause, Combined> causes;
  double largest = 0.0;
  for (const Component& one : components_) {
    causes.try_emplace(one.cause, row_of(one.cause).recurrence).first->second.add(one);
    largest = std::max(largest, std::abs(one.u));
  }
  std::vector<Term> terms;
  for (const auto& [cause, combined] : causes) {
    const double u = combined.u();
    if (u > kRounding * largest) terms.push_back({cause, u});
  }
  return terms;
}

Budget Budget::scaled(double factor) const {
  const double weight[] = {factor};
  return weighted_sum({this, 1}, weight);
}

Budget weighted_sum(std::span<const Budget> parts, std::span<const double> weights) {
  assert(parts.size() == weights.size());
  Budget total;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    total.value_ += weights[i] * parts[i].value_;
    for (const Component& one : parts[i].components_) {
      total.add(one.cause, weights[i] * one.u, one.origin);
    }
  }
  unite(total.components_);
  return total;
}

Budget sum(std::span<const Budget> parts) {
  return weighted_sum(parts, std::vector<double>(parts.size(), 1.0));
}

Budget difference(const Budget& a, const Budget& b) {
  const Budget both[] = {a, b};
  const double weights[] = {1.0, -1.0};
  return weighted_sum(both, weights);
}

Budget log_ratio(const Budget& a, const Budget& b) {
  assert(a.value() > 0 && b.value() > 0);
  const Budget both[] = {b, a};
  const double weights[] = {1 / b.value(), -1 / a.value()};
  Budget logarithm(std::log(b.value() / a.value()));
  const Budget relative = weighted_sum(both, weights);
  for (const Component& one : relative.components()) {
    logarithm.add(one.cause, one.u, one.origin);
  }
  return logarithm;
}

Budget ratio(const Budget& a, const Budget& b) {
  const double value = b.value() / a.value();
  Budget result(value);
  const Budget relative = log_ratio(a, b);
  for (const Component& one : relative.components()) {
    result.add(one.cause, value * one.u, one.origin);
  }
  return result;
}

Interval interval_of(const Budget& budget) {
  return interval95({budget.value(), budget.standard_uncertainty()});
}

Interval interval_on_scale(const Budget& budget) { return interval_of(budget.without(is_scale)); }

}  // namespace truewatt::uncertainty
