#include "truewatt/energy/former/idle_reach.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "truewatt/energy/former/view_readings.hpp"
#include "truewatt/numerics/quadrature.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::energy {
namespace {

constexpr double kFarthestIdle = 4.0;  // s
constexpr double kBlock = 0.5;         // s
/// Sources that would need longer idle than this to be seen do not tell; update periods of 0.1 s
/// may be a little more.
constexpr double kSeenInBlock = 0.55;  // s
constexpr std::size_t kFewestInBlock = 3;
/// Levels further apart than so many standard uncertainties are two.
constexpr double kOneLevel = 3.0;

/// W, from one step of what is shown to the next.
double quantum_of(const SourceView& view) {
  return counts_energy(view.source) ? view.quantum / view.model.update_period.count()
                                    : view.quantum;
}

/// The power that readings show which look at nothing outside, W.
std::optional<numerics::Summary> powers_within(const SourceView& view, double from, double to) {
  const double delay = view.model.delay.count();
  const double memory = memory_of(view.model);
  std::vector<double> powers;
  for (std::size_t k = 1; k < view.ticks.size(); ++k) {
    const double first = view.ticks[counts_energy(view.source) ? k - 1 : k].time;
    if (first - delay - memory < from || view.ticks[k].time - delay > to) continue;
    const double power = power_at(view, k);
    if (std::isfinite(power)) powers.push_back(power);
  }
  if (powers.size() < kFewestInBlock) return std::nullopt;
  return numerics::summarize(powers);
}

bool is_one_level(const SourceView& view, double from, double to, double begin, double end) {
  const auto outer = powers_within(view, from, to);
  const auto inner = powers_within(view, begin, end);
  if (!outer || !inner) return false;
  const auto n = static_cast<double>(outer->count);
  const auto m = static_cast<double>(inner->count);
  const double squares = (n - 1) * outer->sd * outer->sd + (m - 1) * inner->sd * inner->sd;
  const double sd = std::max(std::sqrt(squares / (n + m - 2)), quantum_of(view) / std::sqrt(12.0));
  // What a tick of a counter is off, two neighbours share with opposite signs.
  const double apart_sd = counts_energy(view.source) ? sd * numerics::quadrature({1 / n, 1 / m})
                                                     : sd * std::sqrt(1 / n + 1 / m);
  return std::abs(outer->mean - inner->mean) <= kOneLevel * apart_sd;
}

}  // namespace

bool sees_idle(const SourceView& view, double idle_s) {
  return memory_of(view.model) <= kShortMemory &&
         kPeriodsOfIdle * view.model.update_period.count() <= idle_s;
}

double idle_reach(const std::vector<SourceView>& views, IdleSide side, double edge,
                  double within_s) {
  double steady = within_s;
  const auto is_steady = [&](const SourceView& view) {
    const double farther = steady + kBlock;
    return side == IdleSide::before
               ? is_one_level(view, edge - farther, edge - steady, edge - steady, edge)
               : is_one_level(view, edge + steady, edge + farther, edge, edge + steady);
  };
  const auto tells = [](const SourceView& view) { return sees_idle(view, kSeenInBlock); };
  if (std::none_of(views.begin(), views.end(), tells)) return within_s;
  const auto goes_on = [&](const SourceView& view) { return !tells(view) || is_steady(view); };
  while (steady + kBlock <= kFarthestIdle && std::all_of(views.begin(), views.end(), goes_on)) {
    steady += kBlock;
  }
  return steady;
}

}  // namespace truewatt::energy
