#include "truewatt/study/repetition_design.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::study {
namespace {

/// What a trial works at least, unless one execution takes longer: a second is told within a per
/// mille or two by any source that is resolved at all.
constexpr Seconds kTrialWork{1.0};
/// As many executions at most, however short one is.
constexpr int kMostExecutions = 1000;
/// Of a sensor that nobody knows: what most update by (paper 000, fig. 14).
constexpr Seconds kUsualPeriod{0.1};
/// Multiples of it fill the unit interval more evenly than those of any other number.
constexpr double kGolden = 0.6180339887498949;

double fraction_of(double x) { return x - std::floor(x); }

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

RepetitionDesign repetition_design(Seconds execution, Seconds period) {
  const double needed = std::ceil(kTrialWork / execution - 1e-9);
  const int executions = std::clamp(static_cast<int>(std::min(needed, 1e6)), 1, kMostExecutions);
  const double phase = execution / period;
  const double up = fraction_of(kGolden - phase);
  const double down = fraction_of(-kGolden - phase);
  return {executions, std::min(up, down) * period, period};
}

Seconds lead_of(const RepetitionDesign& design, int trial) {
  return fraction_of(trial * kGolden) * design.period;
}

std::vector<Seconds> begins_of(const load::Schedule& once, const RepetitionDesign& design,
                               int executions, int trial) {
  std::vector<Seconds> begins;
  const Seconds lead = lead_of(design, trial);
  for (int i = 0; i < executions; ++i) {
    begins.push_back(lead + i * (once.duration + design.pause));
  }
  return begins;
}

load::Schedule trial_schedule(const load::Schedule& once, const RepetitionDesign& design,
                              int executions, int trial) {
  load::Schedule all;
  load::append_step(all.steps, {Seconds(0), 0.0});
  for (const Seconds begin : begins_of(once, design, executions, trial)) {
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
