#include "truewatt/energy/aggregate/ratio.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace truewatt::energy {
namespace {

using uncertainty::Budget;
using uncertainty::Component;

/// Both totals of a pair.
struct Totals {
  Budget a;
  Budget b;
};

std::optional<Totals> totals_of(const RunPair& pair, Quantity quantity, int number) {
  const auto a = total_budget(pair.a, quantity, {"a", 2 * number});
  const auto b = total_budget(pair.b, quantity, {"b", 2 * number + 1});
  if (!a || !b || !(a->value() > 0) || !(b->value() > 0)) return std::nullopt;
  return Totals{*a, *b};
}

/// The boards whose scale is in the total, each as far as its scale is known from one calibration.
std::set<std::string> scales_of(const Budget& total) {
  std::set<std::string> sensors;
  for (const Component& one : total.components()) {
    if (uncertainty::is_scale(one.cause)) {
      sensors.insert(std::string(uncertainty::code_of(one.cause)) + one.origin.sensor +
                     uncertainty::type_of(one.cause));
    }
  }
  return sensors;
}

}  // namespace

std::optional<EnergyRatio> energy_ratio(std::span<const RunPair> pairs, Quantity quantity,
                                        uncertainty::EndedBy ended_by) {
  std::vector<Budget> logarithms;
  std::set<std::string> sensors;
  EnergyRatio result{.gain_cancels = true};
  bool known = true;
  for (const RunPair& pair : pairs) {
    const auto totals = totals_of(pair, quantity, static_cast<int>(logarithms.size()));
    if (!totals) continue;
    if (logarithms.empty()) sensors = scales_of(totals->a);
    const bool alike = scales_of(totals->a) == sensors && scales_of(totals->b) == sensors;
    result.gain_cancels = result.gain_cancels && alike;
    known = known && is_known(pair.a) && is_known(pair.b);
    logarithms.push_back(uncertainty::log_ratio(totals->a, totals->b));
  }
  if (logarithms.empty()) return std::nullopt;
  const Budget mean =
      uncertainty::mean_of_runs(logarithms, {.ended_by = ended_by, .known = known, .whole = 1.0})
          .budget;
  result.pairs = logarithms.size();
  result.budget = mean.terms();
  // By the logarithm, so that a ratio that is known badly stays above zero.
  const double ratio = std::exp(mean.value());
  const double factor = std::exp(kCoverageFactor95 * mean.standard_uncertainty());
  result.ratio = {ratio, ratio / factor, ratio * factor, 0.95};
  result.standard_uncertainty = ratio * mean.standard_uncertainty();
  return result;
}

}  // namespace truewatt::energy
