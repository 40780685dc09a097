#include "truewatt/energy/aggregate/repeated_runs.hpp"

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

/// So much wider is the scatter of runs that just reached the half-width at which they end; ...
constexpr double kChosen = 1.15;
/// ... less so below this share of it, ...
constexpr double kJustReached = 0.7;
/// ... and not below this one: they would have ended there whatever chance did.
constexpr double kFarBelow = 0.35;

/// Adds to `others` in quadrature to what times 1.96 is a 95 % interval.
double with_student(double scatter, double freedom, double others) {
  constexpr double kNothing = 1e-6;  // of the others: no part of the whole
  if (scatter <= kNothing * others) return scatter;
  const double share = 1 / (1 + std::pow(others / scatter, 2));
  const double widened = numerics::student_widening(std::max(1.0, freedom) / (share * share));
  // The square of the whole is the scatter's over its share.
  return scatter * std::sqrt(1 + std::max(0.0, widened * widened - 1) / share);
}

TermsOfRuns terms_of(const MeanOfRuns& mean, double widening, double others) {
  const double scatter = with_student(widening * mean.standard_error, mean.freedom, others);
  return {scatter, std::sqrt(std::max(0.0, mean.own * mean.own - scatter * scatter))};
}

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
    const bool may_be_alike =
        term.term == kPhaseLock || term.term == kQuantum || term.term == kMisfitTerm;
    (may_be_alike ? alike : random) += std::pow(term.standard_uncertainty.value(), 2);
  }
  return OwnDoubt{std::sqrt(random), std::sqrt(random + alike)};
}

MeanOfRuns mean_of_runs(const std::vector<RunValue>& runs, double whole) {
  const bool known = std::all_of(runs.begin(), runs.end(),
                                 [](const RunValue& run) { return run.own.has_value(); });
  std::vector<numerics::Measured> values;
  for (const RunValue& run : runs) values.push_back({run.value, known ? run.own->all : 0.0});
  numerics::PooledMean pooled = numerics::pooled_mean(values);
  MeanOfRuns mean{.value = pooled.mean,
                  .standard_error = pooled.standard_error,
                  .freedom = pooled.freedom,
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
  mean.own = std::sqrt(hidden * hidden + apart);
  return mean;
}

TermsOfRuns terms_beside(const MeanOfRuns& mean, double others, EndsAt ends_at) {
  const TermsOfRuns plain = terms_of(mean, 1.0, others);
  if (!ends_at) return plain;
  const double half =
      kCoverageFactor95 * numerics::quadrature({plain.scatter, plain.within, others});
  const double near =
      std::clamp((half / *ends_at - kFarBelow) / (kJustReached - kFarBelow), 0.0, 1.0);
  return terms_of(mean, std::lerp(1.0, kChosen, near), others);
}

}  // namespace truewatt::energy
