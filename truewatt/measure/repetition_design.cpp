#include "truewatt/measure/repetition_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/measure/phase_spread.hpp"
#include "truewatt/measure/results.hpp"

namespace truewatt::measure {
namespace {

/// What a trial works at least, unless one execution takes longer: a second is told within a per
/// mille or two by any source that is resolved at all.
constexpr Seconds kTrialWork{1.0};
/// As many executions at most, however short one is.
constexpr int kMostExecutions = 20000;
/// So many phases are enough to fill a period: few sensors look for less than a fortieth of theirs.
constexpr int kEnoughPhases = 64;

int group_count(const RepetitionDesign& design, int executions) {
  return (executions + design.group - 1) / design.group;
}

/// Yang 2024, section V-A.
constexpr int kPracticeExecutions = 32;
constexpr Seconds kPracticeTime{5.0};
constexpr int kPracticeDelays = 8;

}  // namespace

int executions_of_trial(Seconds execution, const std::optional<int>& asked_for) {
  const double needed = std::ceil(kTrialWork / execution - 1e-9);
  const int of_a_second = std::clamp(static_cast<int>(std::min(needed, 1e6)), 1, kMostExecutions);
  const bool several = !asked_for || *asked_for / kFewestTrials >= of_a_second;
  return several ? of_a_second : std::min(*asked_for, kMostExecutions);
}

RepetitionDesign repetition_design(Seconds execution, const std::vector<Seconds>& periods,
                                   int executions) {
  RepetitionDesign design{.executions = executions};
  design.group = (executions + kEnoughPhases - 1) / kEnoughPhases;
  const int groups = group_count(design, executions);
  if (groups > 1) {
    design.pause = shortest_even_pause(design.group * execution, groups, periods);
  }
  return design;
}

RepetitionDesign design_of(const replication::GoodPractice& practice, Seconds execution) {
  const double needed =
      std::min(std::ceil(kPracticeTime / execution - 1e-9), 1.0 * kMostExecutions);
  int executions = std::max(kPracticeExecutions, static_cast<int>(needed));
  const bool delays = practice.delay > Seconds(0);
  if (delays) executions = (executions + kPracticeDelays - 1) / kPracticeDelays * kPracticeDelays;
  return {.executions = executions,
          .group = delays ? executions / kPracticeDelays : executions,
          .pause = practice.delay};
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

std::vector<replication::ExecutionGroup> groups_of(const RepetitionDesign& design,
                                                   Seconds execution, int executions,
                                                   HostTime begin) {
  std::vector<replication::ExecutionGroup> groups;
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

}  // namespace truewatt::measure
