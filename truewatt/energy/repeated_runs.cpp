#include "truewatt/energy/repeated_runs.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {

double term_of(const EnergyEstimate& estimate, std::string_view name) {
  double sum = 0.0;
  for (const BudgetTerm& term : estimate.budget) {
    if (term.term == name) sum = numerics::quadrature({sum, term.standard_uncertainty.value()});
  }
  return sum;
}

GainAndOffset gain_and_offset(const EnergyEstimate& estimate) {
  if (const double offset = term_of(estimate, "offset"); offset > 0) {
    return {term_of(estimate, "gain"), offset};
  }
  const double both = estimate.energy->gain_uncertainty;
  const auto& net = estimate.net_energy;
  if (!net || net->interval.value == 0.0) return {0.0, both};
  const double relative = net->gain_uncertainty / std::abs(net->interval.value);
  const double gain = std::min(both, relative * std::abs(estimate.energy->interval.value));
  return {gain, std::sqrt(both * both - gain * gain)};
}

double scatter_of_mean(const std::vector<double>& values, Stopping stopping) {
  const numerics::Summary summary = *numerics::summarize(values);
  const auto freedom = static_cast<double>(summary.count - 1);
  const double chosen = stopping == Stopping::when_narrow ? kStoppedWhenNarrow : 1.0;
  return chosen * summary.standard_error() * numerics::student_widening(freedom);
}

}  // namespace truewatt::energy
