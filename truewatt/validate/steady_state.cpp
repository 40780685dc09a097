#include "truewatt/validate/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/numerics/summary.hpp"

namespace truewatt::validate {
namespace {

constexpr double kShortestGap = 0.7;  // of the mean
constexpr double kLongestGap = 1.3;
/// Counter and ring, each alone, agree on a reference that counts.
constexpr double kAgree = 0.005;
/// What a run drew is known to this share (one standard uncertainty, without the gain).
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

/// Energies of the runs, what is not known of them, and how they differ.
struct RunEnergies {
  std::vector<double> joules;
  double uncertainty = 0.0;  // relative: mean, for what is not known of one may be of all
  Seconds length{0};         // all together
  bool throttled = false;
};

Result<RunEnergies> energies_of(const Recording& train, const std::vector<Window>& runs,
                                const energy::Knowledge& knowledge) {
  const auto count = static_cast<double>(runs.size());
  RunEnergies energies;
  double idle = 0.0;  // at the same power in all: what runs take longer by is not work
  for (const Window& run : runs) {
    const energy::EnergyEstimate one = energy::estimate_energy(train, run, knowledge);
    if (!one.energy || !one.valid) {
      return Unexpected(
          Error{Errc::insufficient_data, "the reference has no energy: " + reasons_of(one)});
    }
    if (energies.joules.empty() && one.baseline) idle = one.baseline->value();
    energies.joules.push_back(one.energy->interval.value - idle * one.window.count());
    energies.uncertainty +=
        one.energy->without_gain() / std::abs(one.energy->interval.value) / count;
    energies.length += one.window;
    energies.throttled |= energy::has_reason(one.reasons, energy::Reason::clocks_limited);
  }
  const double idle_of_each = idle * energies.length.count() / count;
  for (double& joules : energies.joules) joules += idle_of_each;
  return energies;
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

Result<std::vector<Window>> runs_of(const Recording& train, std::size_t count) {
  std::vector<ActivityInterval> idles;
  for (std::size_t i = 1; i < train.activity.size(); ++i) {
    idles.push_back({train.activity[i - 1].end, train.activity[i].begin});
  }
  if (count == 0 || idles.size() + 1 < count) {
    return Unexpected(Error{Errc::insufficient_data,
                            fmt::format("no reference: {} stretches of work where {} runs were "
                                        "to be",
                                        train.activity.size(), count)});
  }
  std::sort(idles.begin(), idles.end(), [](const auto& one, const auto& other) {
    return one.end - one.begin > other.end - other.begin;
  });
  idles.resize(count - 1);
  std::sort(idles.begin(), idles.end(),
            [](const auto& one, const auto& other) { return one.begin < other.begin; });
  std::vector<Window> runs = {{train.activity.front().begin, train.activity.back().end, "run"}};
  for (const ActivityInterval& idle : idles) {
    runs.back().end = idle.begin;
    runs.push_back({idle.end, train.activity.back().end, "run"});
  }
  return runs;
}

Result<SteadyState> steady_state_of(const Recording& train, const std::vector<Window>& runs,
                                    int executions, const energy::Knowledge& knowledge) {
  const auto energies = energies_of(train, runs, knowledge);
  if (!energies) return Unexpected(energies.error());
  if (energies->uncertainty > kKnown) {
    return Unexpected(
        Error{Errc::ill_conditioned,
              fmt::format("no reference: one standard uncertainty of its energy is {:.2f} %, where "
                          "0.5 would do{}",
                          100 * energies->uncertainty,
                          knowledge.profile ? "" : "; characterize the device first")});
  }
  const Window all{runs.front().begin, runs.back().end, "reference"};
  const auto counter = joules_alone(train, all, knowledge, SourceKind::energy_counter);
  const auto ring = joules_alone(train, all, knowledge, SourceKind::power_samples);
  if (!counter || !ring) {
    return Unexpected(Error{Errc::unsupported,
                            "no reference: it takes an energy counter and a sample ring that both "
                            "show its energy"});
  }
  const numerics::Summary summary = *numerics::summarize(energies->joules);
  const auto count = static_cast<double>(runs.size());
  SteadyState steady{.joules = summary.mean / executions,
                     .length = energies->length / (count * executions),
                     .uncertainty = energies->uncertainty,
                     .agreement = *counter / *ring,
                     .throttled = energies->throttled};
  if (runs.size() > 1) steady.run_to_run = summary.sd / summary.mean;
  if (std::abs(steady.agreement - 1) > kAgree) {
    return Unexpected(
        Error{Errc::insufficient_data,
              fmt::format("no reference: energy counter and sample ring differ by {:.2f} %",
                          100 * (steady.agreement - 1))});
  }
  return steady;
}

}  // namespace truewatt::validate
