#include "truewatt/measure/stopping_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace truewatt::measure {
namespace {

using energy::EnergyEstimate;
using energy::Trial;

/// A forecast from a few trials' scatter may be twice too long; it is given up on where it is more
/// than that beyond the budget.
constexpr double kForecastDoubt = 2.0;

/// What stays is known badly from one trial: it must be so much above the target.
constexpr double kClearlyAbove = 1.5;

}  // namespace

Result<void> StoppingRule::check_reach(const RepetitionDesign& design) const {
  if (!options_.target || options_.executions || options_.good_practice) return {};
  const Seconds trial = design.executions * execution_;
  if (trial <= options_.budget) return {};
  return Unexpected(
      Errc::invalid_argument,
      fmt::format("± {:.2g} % takes {} trials of {:.0f} s at least, longer than the {:.0f} s of "
                  "--budget: give them --budget {:.0f}s, or measure one execution "
                  "without --target",
                  100 * *options_.target, kFewestTrials, trial.count(), options_.budget.count(),
                  std::ceil(1.1 * kFewestTrials * trial.count())));
}

bool StoppingRule::is_enough(const TrialsByDevice& trials, int executions, Seconds elapsed) {
  if (is_lost(trials)) return true;
  const int count = count_of(trials);
  if (options_.good_practice) return count >= kPracticeTrials;
  if (options_.executions) return executions >= *options_.executions;
  if (count < kFewestTrials) return count > 0 && is_hopeless(trials, elapsed);
  const int usable = usable_of(trials);
  if (usable == 0) {
    never_ = "a device has no energy, for the reasons above; repeating does not change that";
    return true;
  }
  const bool time_is_over = elapsed * (1.0 + 1.0 / count) > options_.budget;
  if (usable < kFewestTrials) return time_is_over;
  const auto means = means_of(trials, execution_, options_);
  const auto half = widest_of(means);
  half_width_ = half;
  if (half && *half <= *options_.target) return true;
  if (half) look_ahead(means, count, elapsed);
  return !never_.empty() || time_is_over;
}

/// Whether fewer trials than tell a scatter say that none will do: by what stays of the first,
/// or since they are too long. Notes why, too.
bool StoppingRule::is_hopeless(const TrialsByDevice& trials, Seconds elapsed) {
  for (const std::vector<Trial>& of_one : trials) {
    const auto left = irreducible_of(of_one.front());
    if (!left || left->half_width <= kClearlyAbove * *options_.target) continue;
    never_ = never_for(*left);
    return true;
  }
  const Seconds takes = elapsed * kFewestTrials / count_of(trials);
  if (takes <= kForecastDoubt * options_.budget) return false;
  never_ = fmt::format(
      "± {:.2g} % takes {} trials at least, {:.0f} s: more than twice the {:.0f} s of --budget",
      100 * *options_.target, kFewestTrials, takes.count(), options_.budget.count());
  return elapsed * (1.0 + 1.0 / count_of(trials)) > options_.budget;
}

std::string StoppingRule::never_for(const Irreducible& left) const {
  const bool characterized =
      std::all_of(set_.devices.begin(), set_.devices.end(),
                  [](const devices::Device& device) { return device.known.profile.has_value(); });
  return fmt::format(
      "no number of repetitions reaches ± {:.2g} %: ± {:.2g} % stay, most of it by {}; {}ask for "
      "less, or for more work in an execution",
      100 * *options_.target, 100 * left.half_width, uncertainty::code_of(left.most),
      characterized ? "" : "characterize the device, ");
}

/// Whether the target can be reached, and when.
void StoppingRule::look_ahead(const std::vector<EnergyEstimate>& means, int trials,
                              Seconds elapsed) {
  for (const EnergyEstimate& mean : means) {
    const Irreducible left = irreducible_of(mean);
    if (left.half_width >= *options_.target) {
      never_ = never_for(left);
      return;
    }
  }
  const double needed = trials_for(means, trials, *options_.target);
  needed_trials_ = needed;
  const Seconds takes = elapsed * (needed / trials);
  if (takes > kForecastDoubt * options_.budget) {
    never_ = fmt::format(
        "± {:.2g} % takes much longer than the {:.0f} s of --budget; no further trial was made",
        100 * *options_.target, options_.budget.count());
  }
}

}  // namespace truewatt::measure
