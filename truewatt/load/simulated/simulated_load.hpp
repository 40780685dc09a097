#pragma once

#include <map>
#include <memory>

#include "truewatt/load/load.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::load {

/// Plays schedules on a simulated GPU that was started at `origin` on the host's clock, or on the
/// CPU beside it on a superchip. On a GPU in MIG mode it works on one instance.
class SimulatedLoad : public Load {
 public:
  SimulatedLoad(std::shared_ptr<simgpu::SimulatedGpu> gpu, HostTime origin,
                WorkKind::Part part = WorkKind::Part::gpu)
      : gpu_(std::move(gpu)), origin_(origin), part_(part) {}

  std::string_view name() const override { return "simulated"; }
  std::optional<std::string> slice() const override;
  Result<void> prepare(const Schedule& schedule) override;
  Result<const CompiledKernel*> compile(
      const std::shared_ptr<const kernels::Kernel>& kernel) override;
  Result<Launch> launch(const kernels::Kernel& kernel, double level,
                        std::uint32_t iterations) override;
  /// Returns at once: the device now knows its future.
  Result<Execution> play(const Schedule& schedule, HostTime begin, std::stop_token stop) override;

 private:
  std::shared_ptr<simgpu::SimulatedGpu> gpu_;
  std::map<std::shared_ptr<const kernels::Kernel>, CompiledKernel> compiled_;
  HostTime origin_;
  WorkKind::Part part_;
};

/// Stretches of a schedule with a level above zero, on the host's clock, as work on that part.
std::vector<ActivityInterval> planned_activity(const Schedule& schedule, HostTime begin,
                                               WorkKind::Part part = WorkKind::Part::gpu);

}  // namespace truewatt::load
