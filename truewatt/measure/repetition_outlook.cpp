#include "truewatt/measure/repetition_outlook.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/base/interval.hpp"
#include "truewatt/numerics/line_fit.hpp"

namespace truewatt::measure {

using energy::EnergyEstimate;
using energy::Trial;

namespace {

/// A drift is told from so many trials on, ...
constexpr int kFewestToldOf = 4;
/// ... where it is so many of its standard uncertainties, ...
constexpr double kDriftDoubt = 3.0;
/// ... and moved the energy from the first trial to the last by at least this share.
constexpr double kDriftShare = 0.005;

}  // namespace

Irreducible irreducible_of(const EnergyEstimate& mean) {
  const auto left = uncertainty::irreducible_of(uncertainty::without_scale(mean.budget));
  return {kCoverageFactor95 * left.u / mean.energy->interval.value, left.most};
}

std::optional<Irreducible> irreducible_of(const Trial& trial) {
  const auto joules = energy::joules_of_one(trial);
  if (!joules || !(*joules > 0)) return std::nullopt;
  const auto of_profile = energy::budget_of_one(trial).without([](uncertainty::Cause cause) {
    return uncertainty::row_of(cause).recurrence != uncertainty::Recurrence::per_profile;
  });
  const auto left = uncertainty::irreducible_of(of_profile.terms());
  return Irreducible{kCoverageFactor95 * left.u / *joules, left.most};
}

double trials_for(const EnergyEstimate& mean, int trials, double target) {
  return uncertainty::runs_for(uncertainty::without_scale(mean.budget), trials,
                               target * mean.energy->interval.value);
}

std::optional<std::string> left_out_note(const std::vector<Trial>& trials, int gpu) {
  const std::size_t used = energy::usable_trials(trials).size();
  if (used == 0 || used == trials.size()) return std::nullopt;
  return fmt::format(
      "{} of {} trials of GPU {} are left out: without an energy, with readings missing, or with "
      "readings that do not follow what is known of their sources",
      trials.size() - used, trials.size(), gpu);
}

std::optional<std::string> drift_note(const std::vector<Trial>& trials, int gpu) {
  std::vector<double> numbers;
  std::vector<double> joules;
  for (const Trial& trial : energy::usable_trials(trials)) {
    numbers.push_back(static_cast<double>(numbers.size()));
    joules.push_back(*energy::joules_of_one(trial));
  }
  if (static_cast<int>(joules.size()) < kFewestToldOf) return std::nullopt;
  const auto line = numerics::fit_line(numbers, joules);
  if (!line) return std::nullopt;
  const double moved = line->slope * (numbers.back() - numbers.front());
  const double share = moved / line->center_y;
  const double widen = numerics::student_widening(static_cast<double>(joules.size()) - 2);
  const double doubt = kDriftDoubt * widen * line->slope_sd;
  if (std::abs(line->slope) < doubt || std::abs(share) < kDriftShare) {
    return std::nullopt;
  }
  return fmt::format(
      "the energy of an execution {} by {:.1f} % from the first trial to the last: GPU {} is not "
      "steady yet; repeat for longer, or after it has run for a while",
      moved > 0 ? "grew" : "fell", 100 * std::abs(share), gpu);
}

}  // namespace truewatt::measure
