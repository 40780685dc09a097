#include "truewatt/energy/aggregate/estimate_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

using uncertainty::Budget;
using uncertainty::Cause;
using uncertainty::Origin;
using uncertainty::Term;

double u_of(const EnergyEstimate& estimate, Cause a, Cause b) {
  return uncertainty::part_of(estimate.budget,
                              [a, b](Cause cause) { return cause == a || cause == b; });
}

bool is_calibrated(const EnergyEstimate& estimate) {
  const auto& budget = estimate.budget;
  return std::any_of(budget.begin(), budget.end(),
                     [](const Term& term) { return term.cause == Cause::calibrated_gain; });
}

Origin origin_of(const EnergyEstimate& estimate, const RunOf& of) {
  const std::string source = estimate.source ? to_string(*estimate.source) : "";
  return {.sensor = estimate.device.uuid + "/" + source,
          .kind = is_host(estimate.device) ? estimate.device.driver : "gpu",
          .program = of.program,
          .run = of.run};
}

/// Gain and offset are known from one calibration where they are known equally well.
Origin scale_origin(const EnergyEstimate& estimate, const RunOf& of) {
  Origin origin = origin_of(estimate, of);
  if (is_calibrated(estimate)) origin.sensor += fmt::format("/{:.1e}", scale_of(estimate).gain);
  return origin;
}

/// What gain and offset leave open of an energy over a time.
void add_scale(Budget& budget, const EnergyEstimate& estimate, const RunOf& of, Seconds over) {
  const ScaleUncertainty scale = scale_of(estimate);
  const bool calibrated = is_calibrated(estimate);
  const Origin origin = scale_origin(estimate, of);
  const Joules energy(budget.value());
  budget.add(calibrated ? Cause::calibrated_gain : Cause::gain, scale.gain_alone(energy), origin);
  budget.add(calibrated ? Cause::calibrated_offset : Cause::offset, scale.with_offset(energy, over),
             origin);
}

/// Terms of the gross energy that are of net energy too.
bool is_shared(Cause cause, Quantity quantity) {
  if (uncertainty::is_scale(cause)) return false;
  return quantity == Quantity::gross || !uncertainty::averages_out(cause);
}

/// What of an energy's standard uncertainty without the scale its terms do not name.
double rest_of(const EnergyInterval& energy, double named) {
  constexpr double kRounding = 1e-9;
  const double all = energy.without_gain();
  const double squares = all * all - named * named;
  return squares > kRounding * all * all ? std::sqrt(squares) : 0.0;
}

}  // namespace

ScaleUncertainty scale_of(const EnergyEstimate& estimate) {
  if (estimate.scale) return *estimate.scale;
  const double energy = std::abs(estimate.energy->interval.value);
  const double length = estimate.window.count();
  const double both = estimate.energy->gain_uncertainty;
  const double offset = u_of(estimate, Cause::offset, Cause::calibrated_offset);
  double gain = u_of(estimate, Cause::gain, Cause::calibrated_gain);
  if (!(offset > 0)) {
    const auto& net = estimate.net_energy;
    const bool tells = net && net->interval.value != 0.0;
    const double share = tells ? net->gain_uncertainty / std::abs(net->interval.value) : 0.0;
    gain = std::min(both, share * energy);
  }
  const double rest = offset > 0 ? offset : std::sqrt(both * both - gain * gain);
  return {energy > 0 ? gain / energy : 0.0, length > 0 ? rest / length : 0.0};
}

Budget budget_of(const EnergyEstimate& estimate, Quantity quantity, const RunOf& of) {
  const bool gross = quantity == Quantity::gross;
  const EnergyInterval& energy = gross ? *estimate.energy : *estimate.net_energy;
  Budget budget(energy.interval.value);
  add_scale(budget, estimate, of, gross ? estimate.window : Seconds(0));
  const Origin origin = origin_of(estimate, of);
  double named = 0.0;
  for (const Term& term : estimate.budget) {
    if (!is_shared(term.cause, quantity)) continue;
    budget.add(term.cause, term.u, origin);
    named = numerics::quadrature({named, term.u});
  }
  budget.add(Cause::readings, rest_of(energy, named), origin);
  return budget;
}

Budget idle_budget(const EnergyEstimate& estimate, Seconds length, const RunOf& of) {
  if (!estimate.baseline || length <= Seconds(0)) return {};
  const Watts idle = estimate.idle_after.value_or(*estimate.baseline);
  Budget budget((idle * length).value());
  if (!estimate.energy) return budget;
  const double share = length / estimate.window;
  add_scale(budget, estimate, of, length);
  // Net energy knows what idle may be off by, gross energy does not need it.
  if (estimate.net_energy) {
    const double squares = std::pow(estimate.net_energy->without_gain(), 2) -
                           std::pow(estimate.energy->without_gain(), 2);
    budget.add(Cause::pause_idle, share * std::sqrt(std::max(0.0, squares)),
               origin_of(estimate, of));
  }
  return budget;
}

std::optional<Budget> total_budget(std::span<const EnergyEstimate> devices, Quantity quantity,
                                   const RunOf& of) {
  std::vector<Budget> parts;
  for (const EnergyEstimate& one : devices) {
    if (!one.energy || (quantity == Quantity::net && !one.net_energy)) return std::nullopt;
    parts.push_back(budget_of(one, quantity, of));
  }
  return parts.empty() ? std::nullopt : std::optional(uncertainty::sum(parts));
}

bool is_known(std::span<const EnergyEstimate> estimates) {
  return std::none_of(estimates.begin(), estimates.end(), [](const EnergyEstimate& one) {
    const auto& reasons = one.reasons;
    return std::find(reasons.begin(), reasons.end(), Reason::phase_lock_not_excluded) !=
           reasons.end();
  });
}

EnergyInterval energy_interval(const Budget& budget) {
  return {uncertainty::interval_of(budget), budget.standard_uncertainty(), budget.scale_part()};
}

}  // namespace truewatt::energy
