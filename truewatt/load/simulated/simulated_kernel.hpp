#pragma once

#include <vector>

#include "truewatt/load/load.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::load {

/// Kernels on simulated devices: nothing is compiled, what they execute costs what the device's
/// tables say (simgpu/machine.hpp).

CompiledKernel compile_simulated(const kernels::Kernel& kernel, const DeviceDescription& device);

/// The board's level (its share of the way from idle to full power) while `kernel` runs on the
/// share `level` of the multiprocessors.
struct SimulatedKernelLevel {
  double level = 0.0;
  double clock_share = 1.0;
};
SimulatedKernelLevel level_of(const kernels::Kernel& kernel, double level,
                              const DeviceDescription& device);

/// What the schedule's steps with kernels will have done, in launches of 40 ms. It begins
/// `since_start` after the device was started, whose faults lower its clock now and then.
std::vector<KernelRun> planned_kernels(const Schedule& schedule, HostTime begin,
                                       const DeviceDescription& device, Seconds since_start);

/// How long one launch by itself takes, and what it does to memory.
struct SimulatedLaunch {
  Seconds time{0};
  double threads = 0.0;
  simgpu::SimulatedGpu::Traffic traffic;
};
SimulatedLaunch launch_simulated(const kernels::Kernel& kernel, double level,
                                 std::uint32_t iterations, const DeviceDescription& device);

}  // namespace truewatt::load
