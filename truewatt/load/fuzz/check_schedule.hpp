#pragma once

#include <cstdlib>

#include "truewatt/base/result.hpp"
#include "truewatt/load/load.hpp"
#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/spec_text.hpp"

namespace truewatt::load {

inline void require(bool holds) {
  if (!holds) std::abort();
}

/// Aborts unless `result` is an error with a message or keeps what Schedule promises.
inline void check_schedule(const Result<Schedule>& result) {
  if (!result) return require(!result.error().message.empty());
  const Schedule& schedule = *result;
  require(!schedule.steps.empty() && schedule.steps.size() <= kMostSteps);
  require(schedule.steps.front().at.count() == 0.0);
  require(schedule.duration >= kShortestLoad && schedule.duration <= kLongestLoad);
  Seconds last{-1};
  for (const ScheduleStep& step : schedule.steps) {
    require(step.at > last && step.at < schedule.duration);
    require(step.level >= 0.0 && step.level <= 1.0);
    last = step.at;
  }
  for (const Stretch& stretch : active_stretches(schedule)) require(stretch.begin < stretch.end);
}

}  // namespace truewatt::load
