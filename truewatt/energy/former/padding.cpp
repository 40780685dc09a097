#include "truewatt/energy/former/padding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "truewatt/numerics/quadrature.hpp"

namespace truewatt::energy {
namespace {

/// Idle is looked for this far from the window: the margin that loads keep (load.hpp), or so many
/// update periods of a slow source.
constexpr double kReach = 1.0;  // s
constexpr double kReachPeriods = 8.0;

/// Baseline: the mean of the two idle powers; that it moved from one to the other in between, at a
/// time unknown, is part of its uncertainty.
Uncertain baseline_of(const Uncertain& before, const Uncertain& after) {
  return {(before.value + after.value) / 2,
          numerics::quadrature({before.standard_uncertainty / 2, after.standard_uncertainty / 2,
                                (after.value - before.value) / std::sqrt(12.0)})};
}

}  // namespace

double reach_of(const PaddedInput& input) {
  return std::max(kReach, kReachPeriods * input.update_period);
}

Unexpected no_idle(std::string_view side) {
  return {Errc::ill_conditioned,
          fmt::format("no steady idle was seen {} the window; leave a second of it", side)};
}

PaddedEnergy assemble(double gross, std::vector<uncertainty::Term> terms, const Uncertain& before,
                      const Uncertain& after, double length) {
  double squares = 0.0;
  for (const uncertainty::Term& term : terms) {
    squares += term.u * term.u;
  }
  PaddedEnergy result;
  result.gross_j = {gross, std::sqrt(squares)};
  result.baseline_w = baseline_of(before, after);
  result.idle_before_w = before;
  result.idle_after_w = after;
  result.net_j = {gross - result.baseline_w.value * length,
                  numerics::quadrature({result.gross_j.standard_uncertainty,
                                        result.baseline_w.standard_uncertainty * length})};
  result.budget = std::move(terms);
  return result;
}

SourceAge age_of(std::span<const Stretch> all, const PaddedInput& input, const WindowEdges& edges) {
  if (input.lag_s) return {*input.lag_s, std::nullopt};
  const RecordedAge recorded = recorded_age(all, input, edges);
  return input.published_age_s ? age_from(recorded, *input.published_age_s) : age_from(recorded);
}

Uncertain lag_energy(const Uncertain& lag, const Uncertain& before_w, const Uncertain& after_w) {
  const double step = after_w.value - before_w.value;
  return {step * lag.value, std::abs(step) * lag.standard_uncertainty};
}

}  // namespace truewatt::energy
