#include "truewatt/load/schedule_steps.hpp"

namespace truewatt::load {

void append_step(std::vector<ScheduleStep>& steps, ScheduleStep step) {
  constexpr Seconds kSameInstant{0.5e-9};
  if (!steps.empty() && step.at - steps.back().at < kSameInstant) {
    step.at = steps.back().at;
    steps.pop_back();
  }
  if (!steps.empty() && steps.back().level == step.level) return;
  steps.push_back(step);
}

std::vector<Stretch> active_stretches(const Schedule& schedule) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const ScheduleStep& step = schedule.steps[i];
    const bool last = i + 1 == schedule.steps.size();
    const Seconds end = last ? schedule.duration : schedule.steps[i + 1].at;
    if (step.level <= 0.0 || end <= step.at) continue;
    const bool continues = !stretches.empty() && stretches.back().level == step.level &&
                           stretches.back().end == step.at;
    if (continues) {
      stretches.back().end = end;
    } else {
      stretches.push_back({step.at, end, step.level});
    }
  }
  return stretches;
}

}  // namespace truewatt::load
