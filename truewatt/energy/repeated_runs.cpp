#include "truewatt/energy/repeated_runs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/numerics/line_fit.hpp"
#include "truewatt/numerics/pooled_mean.hpp"
#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// A run whose 95 % half-width is more than this share of the energy hardly saw its work.
constexpr double kHardlySeen = 0.5;

}  // namespace

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

std::optional<OwnDoubt> own_doubt_of(const EnergyEstimate& estimate) {
  const auto& reasons = estimate.reasons;
  const auto locked = std::find(reasons.begin(), reasons.end(), Reason::phase_lock_not_excluded);
  if (locked != reasons.end()) return std::nullopt;
  double random = 0.0;
  double alike = 0.0;
  for (const BudgetTerm& term : estimate.budget) {
    const bool common =
        std::find(kCommonCauses.begin(), kCommonCauses.end(), term.term) != kCommonCauses.end();
    if (common || term.term == "gain" || term.term == "offset") continue;
    const bool may_be_alike = term.term == kPhaseLock || term.term == kQuantum;
    (may_be_alike ? alike : random) += std::pow(term.standard_uncertainty.value(), 2);
  }
  return OwnDoubt{std::sqrt(random), std::sqrt(random + alike)};
}

MeanOfRuns mean_of_runs(const std::vector<RunValue>& runs, Stopping stopping, double whole) {
  const bool known = std::all_of(runs.begin(), runs.end(),
                                 [](const RunValue& run) { return run.own.has_value(); });
  std::vector<numerics::Measured> values;
  for (const RunValue& run : runs) values.push_back({run.value, known ? run.own->all : 0.0});
  numerics::PooledMean pooled = numerics::pooled_mean(values);
  const double chosen = stopping == Stopping::when_narrow ? kStoppedWhenNarrow : 1.0;
  MeanOfRuns mean{
      .value = pooled.mean,
      .scatter = chosen * numerics::student_widening(pooled.freedom) * pooled.standard_error,
      .weights = std::move(pooled.weights)};
  const bool few = runs.size() < static_cast<std::size_t>(kFewestRuns);
  double hidden = 0.0;
  double apart = 0.0;
  for (std::size_t i = 0; known && i < runs.size(); ++i) {
    const OwnDoubt& own = *runs[i].own;
    const double joules = mean.weights[i] * own.random;
    const bool seen = kCoverageFactor95 * own.all <= kHardlySeen * std::abs(whole);
    if (!seen) hidden += joules;
    if (seen && few) apart += joules * joules;
  }
  const double own = hidden * hidden + apart;
  mean.within = std::sqrt(std::max(0.0, own - mean.scatter * mean.scatter));
  return mean;
}

}  // namespace truewatt::energy
