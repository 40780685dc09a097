#include "truewatt/load/simulated/simulated_load.hpp"

#include <fmt/format.h>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/load/simulated/simulated_kernel.hpp"

namespace truewatt::load {

std::vector<ActivityInterval> planned_activity(const Schedule& schedule, HostTime begin,
                                               WorkKind::Part part) {
  std::vector<ActivityInterval> activity;
  for (const Stretch& stretch : active_stretches(schedule)) {
    activity.push_back({begin + to_nanoseconds(stretch.begin), begin + to_nanoseconds(stretch.end),
                        stretch.kind(part)});
  }
  return activity;
}

Result<void> SimulatedLoad::prepare(const Schedule& schedule) {
  if (schedule.steps.empty()) {
    return Unexpected(Errc::invalid_argument, "the load's schedule has no steps");
  }
  for (const ScheduleStep& step : schedule.steps) {
    if (part_ == WorkKind::Part::cpu && step.kernel != nullptr) return refuse(*step.kernel);
  }
  const auto& mig = gpu_->description().mig;
  if (part_ == WorkKind::Part::gpu && mig && mig->share == 0) {
    return Unexpected(Errc::unavailable,
                      fmt::format("{} is in MIG mode without an instance: nothing runs on it; give "
                                  "its [mig] table a share",
                                  gpu_->description().name));
  }
  return {};
}

Result<const CompiledKernel*> SimulatedLoad::compile(
    const std::shared_ptr<const kernels::Kernel>& kernel) {
  if (part_ == WorkKind::Part::cpu) return Load::compile(kernel);
  return &compiled_.emplace(kernel, compile_simulated(*kernel, gpu_->description())).first->second;
}

Result<Launch> SimulatedLoad::launch(const kernels::Kernel& kernel, double level,
                                     std::uint32_t iterations) {
  if (part_ == WorkKind::Part::cpu) return Load::launch(kernel, level, iterations);
  const SimulatedLaunch launch = launch_simulated(kernel, level, iterations, gpu_->description());
  gpu_->count(launch.traffic);
  return Launch{launch.time, launch.threads};
}

std::optional<std::string> SimulatedLoad::slice() const {
  const auto mig = mig_mode(gpu_->description());
  if (!mig || part_ == WorkKind::Part::cpu) return std::nullopt;
  return fmt::format("instance {} with {:.3g} % of the GPU", mig->instances.front(),
                     100 * gpu_->description().mig->share);
}

Result<Execution> SimulatedLoad::play(const Schedule& schedule, HostTime begin,
                                      std::stop_token /*stop*/) {
  const double offset = seconds_between(origin_, begin);
  simgpu::Play play{.end = offset + schedule.duration.count()};
  play.steps.reserve(schedule.steps.size());
  const auto& mig = gpu_->description().mig;
  const double share = mig && part_ == WorkKind::Part::gpu ? mig->share : 1.0;
  for (const ScheduleStep& step : schedule.steps) {
    play.steps.push_back({offset + step.at.count(), share * step.level});
    if (step.kernel == nullptr || step.level <= 0) continue;
    const SimulatedKernelLevel level = level_of(*step.kernel, step.level, gpu_->description());
    play.steps.back().level = level.level;
    play.steps.back().clock_share = level.clock_share;
  }
  if (part_ == WorkKind::Part::cpu) {
    gpu_->play_cpu(std::move(play));
  } else {
    gpu_->play(std::move(play));
  }
  return Execution{
      .begin = begin,
      .end = begin + to_nanoseconds(schedule.duration),
      .activity = planned_activity(schedule, begin, part_),
      .kernels = planned_kernels(schedule, begin, gpu_->description(), Seconds(offset))};
}

}  // namespace truewatt::load
