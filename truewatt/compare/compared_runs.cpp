#include "truewatt/compare/compared_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace truewatt::compare {

using energy::EnergyInterval;

namespace {

/// Two things whose ratio lies within this of 1 are alike, where nobody said how well to know it.
constexpr double kAlikeRatio = 0.02;
/// Where somebody did: an interval as wide as wanted then holds 1 wherever it may lie.
constexpr double kAlikeTargets = 2.0;
/// Rounds that are left out do not matter where they are fewer.
constexpr std::size_t kLackingIn = 3;  // one in so many
/// A forecast of more rounds than this says nothing but "many".
constexpr int kMostRounds = 100000;

/// Where nothing says how much the runs of a side differ.
constexpr const char* kOnePair =
    "the interval is that of these two runs: how much runs of the same thing differ from each "
    "other "
    "is not in it, as it is where both run in turns (compare -- CMD --vs CMD)";

/// Mean of the runs' totals, of those that have one.
std::optional<EnergyInterval> mean_of(const std::vector<measure::EnergyRun>& runs,
                                      energy::Quantity quantity) {
  std::vector<uncertainty::Budget> totals;
  bool known = true;
  for (const measure::EnergyRun& run : runs) {
    const energy::RunOf of{.run = static_cast<int>(totals.size())};
    const auto total = energy::total_budget(run.devices, quantity, of);
    if (!total) continue;
    totals.push_back(*total);
    known = known && energy::is_known(run.devices);
  }
  if (totals.empty()) return std::nullopt;
  return energy::energy_interval(uncertainty::mean_of_runs(totals, {.known = known}).budget);
}

std::optional<Joules> truth_of(const std::vector<measure::EnergyRun>& runs) {
  double sum = 0.0;
  for (const measure::EnergyRun& run : runs) {
    for (const energy::EnergyEstimate& device : run.devices) {
      if (!device.truth) return std::nullopt;
      sum += device.truth->value();
    }
  }
  return Joules(sum / static_cast<double>(runs.size()));
}

/// Of one run, where every run did as much.
std::optional<energy::Work> work_of(const std::vector<measure::EnergyRun>& runs) {
  if (runs.empty()) return std::nullopt;
  const auto& first = runs.front().work;
  const bool same = std::all_of(runs.begin(), runs.end(), [&first](const auto& run) {
    return first && run.work && run.work->done == first->done && run.work->unit == first->unit;
  });
  return same ? first : std::nullopt;
}

/// Work is known exactly, so the interval is the energies' with another scale.
std::optional<Interval> ratio_per_unit(const EnergyComparison& comparison) {
  const auto& a = comparison.a.work;
  const auto& b = comparison.b.work;
  if (!comparison.gross || !a || !b || a->unit != b->unit) return std::nullopt;
  const Interval& ratio = comparison.gross->ratio;
  const double by = a->done / b->done;
  return Interval{by * ratio.value, by * ratio.lower, by * ratio.upper, ratio.level};
}

ComparedSide side_of(std::vector<measure::EnergyRun> runs) {
  ComparedSide side{.runs = std::move(runs)};
  side.mean = {mean_of(side.runs, energy::Quantity::gross),
               mean_of(side.runs, energy::Quantity::net)};
  if (!side.runs.empty()) side.truth = truth_of(side.runs);
  side.work = work_of(side.runs);
  return side;
}

RatioVerdict verdict_of(const std::optional<energy::EnergyRatio>& ratio, double alike) {
  if (!ratio) return RatioVerdict::undecided;
  if (ratio->ratio.upper < 1) return RatioVerdict::less;
  if (ratio->ratio.lower > 1) return RatioVerdict::more;
  const bool within = ratio->ratio.lower >= 1 - alike && ratio->ratio.upper <= 1 + alike;
  return within ? RatioVerdict::alike : RatioVerdict::undecided;
}

/// Whether every device has its energy; whole: and no reading is missing.
bool has_energies(const measure::EnergyRun& run) {
  return !run.devices.empty() &&
         std::all_of(run.devices.begin(), run.devices.end(),
                     [](const auto& one) { return one.energy.has_value(); });
}

bool is_whole(const measure::EnergyRun& run) {
  return std::all_of(run.devices.begin(), run.devices.end(),
                     [](const energy::EnergyEstimate& one) { return one.valid; });
}

/// The rounds that a ratio can rest on, by index.
std::vector<std::size_t> usable_rounds(const std::vector<measure::EnergyRun>& a,
                                       const std::vector<measure::EnergyRun>& b) {
  std::vector<std::size_t> with_energies;
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (!has_energies(a[i]) || !has_energies(b[i])) continue;
    with_energies.push_back(i);
    if (is_whole(a[i]) && is_whole(b[i])) whole.push_back(i);
  }
  return whole.empty() ? with_energies : whole;
}

/// Of the runs that the ratio rests on, or of all.
std::optional<double> true_ratio(const std::vector<measure::EnergyRun>& a,
                                 const std::vector<measure::EnergyRun>& b,
                                 const std::vector<std::size_t>& used) {
  const auto mean = [&](const std::vector<measure::EnergyRun>& side) {
    std::vector<measure::EnergyRun> runs;
    for (const std::size_t i : used) runs.push_back(side[i]);
    return truth_of(used.empty() ? side : runs);
  };
  if (a.empty() || b.empty()) return std::nullopt;
  const auto of_a = mean(a);
  const auto of_b = mean(b);
  if (!of_a || !of_b || !(of_a->value() > 0)) return std::nullopt;
  return of_b->value() / of_a->value();
}

void add_reasons(EnergyComparison& result, const measure::EnergyRun& run) {
  const bool gain_cancels = result.gross && result.gross->gain_cancels;
  result.valid = result.valid && is_whole(run);
  for (const energy::EnergyEstimate& device : run.devices) {
    for (const energy::Reason reason : device.reasons) {
      const bool cancels = reason == energy::Reason::uncalibrated_gain && gain_cancels;
      if (!cancels) energy::add_reason(result.reasons, reason);
    }
  }
}

}  // namespace

double half_width(const energy::EnergyRatio& ratio) {
  return half_width_of(ratio.ratio) / ratio.ratio.value;
}

std::optional<int> rounds_for(const energy::EnergyRatio& ratio, double target) {
  if (ratio.pairs < 2) return std::nullopt;
  const double needed =
      std::ceil(uncertainty::runs_for(ratio.budget, static_cast<double>(ratio.pairs), target));
  if (!(needed < kMostRounds)) return std::nullopt;
  return std::max(kFewestRounds, static_cast<int>(needed));
}

std::string why_never(const energy::EnergyRatio& ratio, double target) {
  const double stays = kCoverageFactor95 * uncertainty::irreducible_of(ratio.budget).u;
  if (stays <= target) return "";
  return fmt::format("no number of rounds reaches ± {:.2g} %: ± {:.2g} % stay, most of it by {}",
                     100 * target, 100 * stays,
                     uncertainty::code_of(uncertainty::irreducible_of(ratio.budget).most));
}

bool is_lost(const measure::EnergyRun& run) {
  return std::any_of(run.devices.begin(), run.devices.end(), [](const auto& device) {
    return energy::has_reason(device.reasons, energy::Reason::gpu_lost);
  });
}

EnergyComparison comparison_of(std::vector<measure::EnergyRun> a, std::vector<measure::EnergyRun> b,
                               std::optional<double> target, uncertainty::EndedBy ended_by) {
  EnergyComparison result;
  result.tool_version = TRUEWATT_VERSION;
  result.target = target;
  const std::size_t played = std::min(a.size(), b.size());
  const std::vector<std::size_t> used = usable_rounds(a, b);
  std::vector<energy::RunPair> pairs;
  for (const std::size_t i : used) pairs.push_back({a[i].devices, b[i].devices});
  result.gross = energy_ratio(pairs, energy::Quantity::gross, ended_by);
  result.net = energy_ratio(pairs, energy::Quantity::net, ended_by);
  result.rounds = result.gross ? result.gross->pairs : 0;
  result.valid = true;
  for (const std::size_t i : used) {
    add_reasons(result, a[i]);
    add_reasons(result, b[i]);
  }
  const bool lost = played > 0 && (is_lost(a.back()) || is_lost(b.back()));
  if (used.size() < played) {
    // A round or two are left out for chance; many, or a device that is gone, say why.
    const bool many = kLackingIn * (played - used.size()) >= played;
    if (many) result.valid = false;
    for (std::size_t i = 0; (many || lost) && i < played; ++i) {
      add_reasons(result, a[i]);
      add_reasons(result, b[i]);
    }
    if (!used.empty()) {
      result.notes.push_back(
          fmt::format("{} of {} rounds are left out: a run had no energy, or readings were missing",
                      played - used.size(), played));
    }
  }
  if (result.rounds == 1) result.notes.push_back(kOnePair);
  result.verdict = verdict_of(result.gross, target ? kAlikeTargets * *target : kAlikeRatio);
  if (result.gross && target && half_width(*result.gross) > *target) {
    result.needs_rounds = rounds_for(*result.gross, *target);
  }
  result.resolved = result.gross && std::none_of(result.reasons.begin(), result.reasons.end(),
                                                 energy::puts_in_doubt);
  result.truth = true_ratio(a, b, used);
  result.a = side_of(std::move(a));
  result.b = side_of(std::move(b));
  result.per_unit = ratio_per_unit(result);
  return result;
}

}  // namespace truewatt::compare
