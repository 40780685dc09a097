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

/// So much wider is the scatter of runs that just reached the half-width at which they end; ...
constexpr double kChosen = 1.15;
/// ... less so below this share of it, ...
constexpr double kJustReached = 0.7;
/// ... and not below this one: they would have ended there whatever chance did.
constexpr double kFarBelow = 0.35;

/// Adds to `others` in quadrature to what times 1.96 is a 95 % interval.
double with_student(double scatter, double freedom, double others) {
  const double whole = scatter * scatter + others * others;
  const double freedom_of_whole = std::max(1.0, freedom) * std::pow(whole / (scatter * scatter), 2);
  const double widened = numerics::student_widening(freedom_of_whole);
  return std::sqrt(widened * widened * whole - others * others);
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
    const bool may_be_alike = term.term == kPhaseLock || term.term == kQuantum;
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
  const double own = hidden * hidden + apart;
  mean.within = std::sqrt(std::max(0.0, own - mean.standard_error * mean.standard_error));
  return mean;
}

double scatter_beside(const MeanOfRuns& mean, double others, EndsAt ends_at) {
  if (mean.standard_error == 0.0) return 0.0;
  const double plain = with_student(mean.standard_error, mean.freedom, others);
  if (!ends_at) return plain;
  const double reached = kCoverageFactor95 * numerics::quadrature({plain, others}) / *ends_at;
  const double near = std::clamp((reached - kFarBelow) / (kJustReached - kFarBelow), 0.0, 1.0);
  return with_student(std::lerp(1.0, kChosen, near) * mean.standard_error, mean.freedom, others);
}

}  // namespace truewatt::energy
