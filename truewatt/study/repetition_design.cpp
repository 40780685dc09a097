#include "truewatt/study/repetition_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::study {
namespace {

/// What a trial works at least, unless one execution takes longer: a second is told within a per
/// mille or two by any source that is resolved at all.
constexpr Seconds kTrialWork{1.0};
/// As many executions at most, however short one is.
constexpr int kMostExecutions = 20000;
/// Of a sensor that nobody knows: what most update by (paper 000, fig. 14).
constexpr Seconds kUsualPeriod{0.1};
/// Multiples of it fill the unit interval more evenly than those of any other number.
constexpr double kGolden = 0.6180339887498949;

/// Phases are filled as evenly as those of multiples of the golden section are at least: gaps of at
/// most this over their number.
constexpr double kEvenly = 2.7;
/// So many phases are enough to fill a period: few sensors look for less than a fortieth of theirs.
constexpr int kEnoughPhases = 64;
/// So few phases are filled evenly: two lie half a period apart.
constexpr int kFewPhases = 16;
/// The pause for more is sought in steps of the period over so many times their number.
constexpr int kSteps = 8;

double fraction_of(double x) { return x - std::floor(x); }

/// Widest gap between `count` phases, each `advance` after the one before, as shares of the period.
double widest_gap(double advance, int count) {
  std::vector<double> phases;
  for (int i = 0; i < count; ++i) phases.push_back(fraction_of(i * advance));
  std::sort(phases.begin(), phases.end());
  double widest = phases.front() + 1 - phases.back();
  for (std::size_t i = 1; i < phases.size(); ++i) {
    widest = std::max(widest, phases[i] - phases[i - 1]);
  }
  return widest;
}

/// Shortest pause, as a share of the period, with which `count` groups of this length begin at
/// multiples of 1/count of it, each at another.
double shortest_even_pause(double group, int count) {
  double shortest = 1.0;
  for (int k = 1; k < count; ++k) {
    if (std::gcd(k, count) != 1) continue;
    shortest = std::min(shortest, fraction_of(static_cast<double>(k) / count - group));
  }
  return shortest;
}

/// Shortest pause, as a share of the period, that lets `count` groups of this length, two or more,
/// fill it evenly.
double shortest_pause(double group, int count) {
  if (count <= kFewPhases) return shortest_even_pause(group, count);
  const int most = kSteps * count;
  for (int i = 0; i < most; ++i) {
    const double pause = static_cast<double>(i) / most;
    if (widest_gap(group + pause, count) <= kEvenly / count) return pause;
  }
  return fraction_of(kGolden - group);
}

int group_count(const RepetitionDesign& design, int executions) {
  return (executions + design.group - 1) / design.group;
}

/// Paper 000, section V-A.
constexpr int kPracticeExecutions = 32;
constexpr Seconds kPracticeTime{5.0};
constexpr int kPracticeDelays = 8;

}  // namespace

Seconds period_to_spread(const Profile* profile) {
  Seconds longest{0};
  if (profile != nullptr) {
    for (const SourceProfile& source : profile->sources) {
      const bool counts = source.source.scope == Scope::gpu && source.verdict != "unusable";
      if (!counts || !source.update_period_s) continue;
      longest = std::max(longest, Seconds(source.update_period_s->value));
    }
  }
  return longest > Seconds(0) ? longest : kUsualPeriod;
}

int executions_of_trial(Seconds execution, const std::optional<int>& asked_for) {
  const double needed = std::ceil(kTrialWork / execution - 1e-9);
  const int of_a_second = std::clamp(static_cast<int>(std::min(needed, 1e6)), 1, kMostExecutions);
  const bool several = !asked_for || *asked_for / kFewestTrials >= of_a_second;
  return several ? of_a_second : std::min(*asked_for, kMostExecutions);
}

RepetitionDesign repetition_design(Seconds execution, Seconds period, int executions) {
  RepetitionDesign design{.executions = executions, .period = period};
  design.group = (executions + kEnoughPhases - 1) / kEnoughPhases;
  const int groups = group_count(design, executions);
  if (groups > 1) {
    design.pause = shortest_pause(design.group * execution / period, groups) * period;
  }
  return design;
}

RepetitionDesign design_of(const energy::GoodPractice& practice, Seconds execution) {
  const double needed =
      std::min(std::ceil(kPracticeTime / execution - 1e-9), 1.0 * kMostExecutions);
  int executions = std::max(kPracticeExecutions, static_cast<int>(needed));
  executions = (executions + kPracticeDelays - 1) / kPracticeDelays * kPracticeDelays;
  const bool delays = practice.delay > Seconds(0);
  return {.executions = executions,
          .group = delays ? executions / kPracticeDelays : executions,
          .pause = practice.delay,
          .period = practice.period};
}

Seconds lead_of(const RepetitionDesign& design, int trial, Seconds later) {
  return fraction_of(trial * kGolden - later / design.period) * design.period;
}

Seconds pauses_of(const RepetitionDesign& design, int executions) {
  return (group_count(design, executions) - 1) * design.pause;
}

std::vector<Seconds> begins_of(const load::Schedule& once, const RepetitionDesign& design,
                               int executions, Seconds lead) {
  std::vector<Seconds> begins;
  for (int i = 0; i < executions; ++i) {
    begins.push_back(lead + i * once.duration + (i / design.group) * design.pause);
  }
  return begins;
}

std::vector<energy::ExecutionGroup> groups_of(const RepetitionDesign& design, Seconds execution,
                                              int executions, HostTime begin) {
  std::vector<energy::ExecutionGroup> groups;
  for (int i = 0; i < executions; i += design.group) {
    const int count = std::min(design.group, executions - i);
    const Seconds after = i * execution + (i / design.group) * design.pause;
    const HostTime from = begin + to_nanoseconds(after);
    groups.push_back({from, from + to_nanoseconds(count * execution), count});
  }
  return groups;
}

load::Schedule trial_schedule(const load::Schedule& once, const RepetitionDesign& design,
                              int executions, Seconds lead) {
  load::Schedule all;
  load::append_step(all.steps, {Seconds(0), 0.0});
  for (const Seconds begin : begins_of(once, design, executions, lead)) {
    for (const load::ScheduleStep& step : once.steps) {
      load::append_step(all.steps, {begin + step.at, step.level});
    }
    all.duration = begin + once.duration;
    load::append_step(all.steps, {all.duration, 0.0});
  }
  // The schedule ends idle by itself.
  if (all.steps.size() > 1 && all.steps.back().at >= all.duration) all.steps.pop_back();
  all.spec = executions == 1 ? once.spec : fmt::format("{} times {}", executions, once.spec);
  return all;
}

}  // namespace truewatt::study
