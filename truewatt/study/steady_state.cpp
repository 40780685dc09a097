#include "truewatt/study/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <iterator>
#include <optional>
#include <random>
#include <string>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::study {
namespace {

constexpr double kShortestGap = 0.7;  // of the mean
constexpr double kLongestGap = 1.3;
/// Counter and ring, each alone, agree on a reference that counts.
constexpr double kAgree = 0.005;
/// What the train drew above idle is known to this share of all that it drew (one standard
/// uncertainty, without the gain).
constexpr double kKnown = 0.005;

/// Energy of the window from one source alone.
std::optional<double> joules_alone(const Recording& recording, const Window& window,
                                   const energy::Knowledge& knowledge, SourceKind kind) {
  const auto estimate =
      energy::estimate_energy(recording, window, knowledge, {.source = SourceId{kind, Scope::gpu}});
  return estimate.energy ? std::optional(estimate.energy->interval.value) : std::nullopt;
}

std::string reasons_of(const energy::EnergyEstimate& estimate) {
  std::string codes;
  for (const energy::Reason reason : estimate.reasons) {
    if (reason == energy::Reason::uncalibrated_gain) continue;
    codes += (codes.empty() ? "" : ", ") + std::string(to_string(reason));
  }
  return codes;
}

/// Nothing is wrong with its data but that clocks were limited for a part of it: what was drawn is
/// known all the same.
bool is_whole_but_for_clocks(const energy::EnergyEstimate& estimate) {
  if (estimate.valid) return true;
  constexpr std::array kSpoilers = {energy::Reason::counter_reset, energy::Reason::gap_in_readings,
                                    energy::Reason::gpu_lost, energy::Reason::clock_step,
                                    energy::Reason::interrupted};
  return std::none_of(kSpoilers.begin(), kSpoilers.end(), [&](energy::Reason spoiler) {
    return std::find(estimate.reasons.begin(), estimate.reasons.end(), spoiler) !=
           estimate.reasons.end();
  });
}

/// The window in so many, in the middles of the longest idles between its work. Fewer where there
/// are not so many.
std::vector<Window> runs_within(const Recording& train, const Window& window, int count) {
  std::vector<ActivityInterval> idles;
  HostTime end = window.end;  // of the work before
  for (const ActivityInterval& work : train.activity) {
    if (work.begin < window.begin || work.begin >= window.end) continue;
    if (work.begin > end) idles.push_back({end, work.begin});
    end = work.end;
  }
  const auto longer = [](const ActivityInterval& one, const ActivityInterval& other) {
    return one.end - one.begin > other.end - other.begin;
  };
  std::sort(idles.begin(), idles.end(), longer);
  idles.resize(std::min(idles.size(), static_cast<std::size_t>(count) - 1));
  std::sort(idles.begin(), idles.end(),
            [](const auto& one, const auto& other) { return one.begin < other.begin; });
  std::vector<Window> runs = {window};
  for (const ActivityInterval& idle : idles) {
    const HostTime middle = idle.begin + (idle.end - idle.begin) / 2;
    runs.back().end = middle;
    runs.push_back({middle, window.end, window.label});
  }
  return runs;
}

/// Standard deviation of the runs' energies above idle, over a run's share of all.
std::optional<double> run_to_run_of(const Recording& train, const Window& window, int count,
                                    const energy::EnergyEstimate& all,
                                    const energy::Knowledge& knowledge) {
  const std::vector<Window> runs = runs_within(train, window, count);
  if (count < 2 || runs.size() < static_cast<std::size_t>(count)) return std::nullopt;
  std::vector<double> joules;
  for (const Window& run : runs) {
    const auto one = energy::estimate_energy(train, run, knowledge);
    if (!one.energy || !all.baseline) return std::nullopt;
    joules.push_back(one.energy->interval.value - (*all.baseline * one.window).value());
  }
  return numerics::summarize(joules)->sd * count / all.energy->interval.value;
}

}  // namespace

load::Schedule train_of(const load::Schedule& run, int runs, Seconds gap, unsigned seed) {
  std::mt19937 chance(seed);
  std::uniform_real_distribution<double> share(kShortestGap, kLongestGap);
  load::Schedule train{.spec = fmt::format("{} runs of {}", runs, run.spec)};
  for (int i = 0; i < runs; ++i) {
    if (i > 0) train.duration += share(chance) * gap;
    for (const load::ScheduleStep& step : run.steps) {
      load::append_step(train.steps, {train.duration + step.at, step.level});
    }
    train.duration += run.duration;
    load::append_step(train.steps, {train.duration, 0.0});
  }
  if (train.steps.back().at >= train.duration) train.steps.pop_back();
  return train;
}

load::Schedule one_after_other(const load::Schedule& first, Seconds gap,
                               const load::Schedule& second) {
  load::Schedule both = first;
  load::append_step(both.steps, {first.duration, 0.0});
  both.duration += gap;
  for (const load::ScheduleStep& step : second.steps) {
    load::append_step(both.steps, {both.duration + step.at, step.level});
  }
  both.duration += second.duration;
  both.spec += fmt::format(", {}", second.spec);
  return both;
}

std::pair<Window, Window> parted(const Recording& both, Seconds second) {
  const Window& all = both.windows.front();
  const HostTime planned = all.begin + to_nanoseconds(second);
  HostTime middle = planned;
  if (both.activity.size() > 1) {
    const auto late_by = [planned](const ActivityInterval& work) {
      return std::chrono::abs(work.begin - planned);
    };
    const auto begins = std::min_element(
        both.activity.begin() + 1, both.activity.end(),
        [&](const auto& one, const auto& other) { return late_by(one) < late_by(other); });
    middle = std::prev(begins)->end + (begins->begin - std::prev(begins)->end) / 2;
  }
  return {{all.begin, middle, "reference"}, {middle, all.end, "reference"}};
}

Result<SteadyState> steady_state_of(const Recording& train, const Window& window, RunCount count,
                                    const energy::Knowledge& knowledge) {
  const energy::EnergyEstimate all = energy::estimate_energy(train, window, knowledge);
  if (!all.net_energy || !is_whole_but_for_clocks(all)) {
    return Unexpected(
        Error{Errc::insufficient_data, "the reference has no energy: " + reasons_of(all)});
  }
  const double doubt = all.net_energy->without_gain() / std::abs(all.energy->interval.value);
  if (doubt > kKnown) {
    return Unexpected(Error{
        Errc::ill_conditioned,
        fmt::format("no reference: one standard uncertainty of its energy above idle is "
                    "{:.2f} % of its energy, where 0.5 would do{}",
                    100 * doubt, knowledge.profile ? "" : "; characterize the device first")});
  }
  SteadyState steady{.net_j = all.net_energy->interval.value / (count.runs * count.executions),
                     .throttled = !all.valid};
  const auto counter = joules_alone(train, window, knowledge, SourceKind::energy_counter);
  const auto ring = joules_alone(train, window, knowledge, SourceKind::power_samples);
  if (!counter || !ring) {
    return Unexpected(Error{Errc::unsupported,
                            "no reference: it takes an energy counter and a sample ring that both "
                            "tell its energy"});
  }
  steady.agreement = *counter / *ring;
  if (std::abs(steady.agreement - 1) > kAgree) {
    return Unexpected(
        Error{Errc::insufficient_data,
              fmt::format("no reference: energy counter and sample ring differ by {:.2f} %",
                          100 * (steady.agreement - 1))});
  }
  steady.run_to_run = run_to_run_of(train, window, count.runs, all, knowledge);
  return steady;
}

}  // namespace truewatt::study
