#include "truewatt/load/schedule_steps.hpp"

#include <utility>

namespace truewatt::load {
namespace {

bool is_same_work(const ScheduleStep& one, const ScheduleStep& other) {
  return one.level == other.level && one.kernel == other.kernel;
}

}  // namespace

WorkKind Stretch::kind(WorkKind::Part part) const {
  WorkKind kind{.part = part, .level = level};
  if (kernel != nullptr) kind.what = std::string(kernel->name());
  return kind;
}

void append_step(std::vector<ScheduleStep>& steps, ScheduleStep step) {
  constexpr Seconds kSameInstant{0.5e-9};
  if (!steps.empty() && step.at - steps.back().at < kSameInstant) {
    step.at = steps.back().at;
    steps.pop_back();
  }
  if (!steps.empty() && is_same_work(steps.back(), step)) return;
  steps.push_back(std::move(step));
}

std::vector<Stretch> active_stretches(const Schedule& schedule) {
  std::vector<Stretch> stretches;
  for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
    const ScheduleStep& step = schedule.steps[i];
    const bool last = i + 1 == schedule.steps.size();
    const Seconds end = last ? schedule.duration : schedule.steps[i + 1].at;
    if (step.level <= 0.0 || end <= step.at) continue;
    const bool continues = !stretches.empty() && stretches.back().end == step.at &&
                           is_same_work(schedule.steps[i - 1], step);
    if (continues) {
      stretches.back().end = end;
    } else {
      stretches.push_back({step.at, end, step.level, step.kernel});
    }
  }
  return stretches;
}

}  // namespace truewatt::load
