#pragma once

#include <memory>

#include "truewatt/load/load.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::load {

/// Plays schedules on a simulated GPU that was started at `origin` on the host's clock.
class SimulatedLoad : public Load {
 public:
  SimulatedLoad(std::shared_ptr<simgpu::SimulatedGpu> gpu, HostTime origin)
      : gpu_(std::move(gpu)), origin_(origin) {}

  std::string_view name() const override { return "simulated"; }
  Result<void> prepare(const Schedule& schedule) override;
  /// Returns at once: the GPU now knows its future.
  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override;

 private:
  std::shared_ptr<simgpu::SimulatedGpu> gpu_;
  HostTime origin_;
};

/// Stretches of a schedule with a level above zero, on the host's clock.
std::vector<ActivityInterval> planned_activity(const Schedule& schedule, HostTime begin);

}  // namespace truewatt::load
