#include "truewatt/load/simulated/simulated_kernel.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/load/schedule_steps.hpp"
#include "truewatt/simgpu/machine.hpp"

namespace truewatt::load {
namespace {

constexpr Seconds kLaunch{0.04};
constexpr Seconds kLaunchCosts{5e-6};
constexpr double kBlock = 256.0;
constexpr double kLargestBlock = 1024.0;

struct Threads {
  double threads = 0.0;
  double multiprocessors = 0.0;
  double blocks = 1.0;  ///< on each of them
};

Threads threads_of(const kernels::Kernel& kernel, double level, const MachineDescription& machine) {
  const double all = machine.sms;
  const double share = std::max(1.0, std::round(level * all));
  switch (kernel.grid()) {
    case kernels::Grid::one_thread:
      return {1.0, 1.0};
    case kernels::Grid::thread_per_multiprocessor:
      return {share, share};
    case kernels::Grid::block_per_multiprocessor: {
      const double block =
          kernel.threads_per_block() > 0 ? kernel.threads_per_block() : kLargestBlock;
      return {share * std::min<double>(block, machine.threads_per_sm), share};
    }
    case kernels::Grid::full:
      break;
  }
  const double block = kernel.threads_per_block() > 0 ? kernel.threads_per_block() : kBlock;
  if (level < 1) return {share * std::min<double>(block, machine.threads_per_sm), share};
  return {all * machine.threads_per_sm, all, std::floor(machine.threads_per_sm / block)};
}

std::vector<simgpu::MemoryWork> work_of(const kernels::Kernel& kernel) {
  std::vector<simgpu::MemoryWork> work;
  for (const kernels::MemoryAccess& one : kernel.memory()) {
    work.push_back({.shared = one.space == kernels::MemorySpace::shared,
                    .store = one.operation == kernels::MemoryOperation::store,
                    .zeros = kernel.zeros(),
                    .through_l1 = one.through_l1,
                    .accesses = one.accesses,
                    .sectors = one.sectors,
                    .bytes = one.bytes,
                    .stride = one.stride,
                    .of_block = one.of_block,
                    .same = one.same,
                    .dependent = one.dependent});
  }
  return work;
}

simgpu::MachineRun run_of(const kernels::Kernel& kernel, const Threads& threads,
                          const DeviceDescription& device) {
  std::vector<simgpu::InstructionCount> iteration;
  for (const kernels::Executed& one : kernel.iteration()) {
    iteration.push_back({one.instruction, one.count});
  }
  const std::vector<simgpu::MemoryWork> memory = work_of(kernel);
  return simgpu::run_on(device, {.iteration = iteration,
                                 .zeros = kernel.zeros(),
                                 .unoptimized = kernel.optimization() == kernels::Optimization::O0,
                                 .threads = threads.threads,
                                 .multiprocessors = threads.multiprocessors,
                                 .memory = memory,
                                 .blocks = threads.blocks});
}

/// A stretch of a kernel's, in seconds since the device was started.
struct Played {
  double begin_s = 0.0;
  double end_s = 0.0;
  double level = 0.0;  ///< of the board
};

/// Of the time from the stretch's begin to `until_s`, what counts at full speed: while the clock is
/// lowered, threads run as much slower as the board draws less.
double full_speed(const Played& played, double until_s, const std::vector<Throttle>& throttles) {
  double full = until_s - played.begin_s;
  for (const Throttle& throttle : throttles) {
    const double from = std::max(played.begin_s, throttle.at.count());
    const double to = std::min(until_s, (throttle.at + throttle.length).count());
    if (to <= from || throttle.level_cap >= played.level) continue;
    full -= (to - from) * (1.0 - throttle.level_cap / played.level);
  }
  return std::max(0.0, full);
}

std::vector<KernelPiece> pieces_of(const HostSpan& span, double iterations_per_s,
                                   const Played& played, const FaultDescription& faults) {
  std::vector<KernelPiece> pieces;
  const Seconds length(span.end - span.begin);
  const auto launches = static_cast<int>(std::max(1.0, std::round(length / kLaunch)));
  for (int i = 1; i <= launches; ++i) {
    const Seconds until = length * i / launches;
    const double full = full_speed(played, played.begin_s + until.count(), faults.throttle);
    pieces.push_back({span.begin + to_nanoseconds(until), iterations_per_s * full});
  }
  return pieces;
}

}  // namespace

CompiledKernel compile_simulated(const kernels::Kernel& kernel, const DeviceDescription& device) {
  CompiledKernel compiled;
  const auto& folded = device.machine.folded;
  for (kernels::Executed one : kernel.iteration()) {
    if (std::find(folded.begin(), folded.end(), one.instruction) != folded.end()) one.count /= 2;
    compiled.loop.push_back(std::move(one));
  }
  return compiled;
}

SimulatedKernelLevel level_of(const kernels::Kernel& kernel, double level,
                              const DeviceDescription& device) {
  const Threads threads = threads_of(kernel, level, device.machine);
  const simgpu::MachineRun run = run_of(kernel, threads, device);
  return {run.above_idle / (device.board.max - device.board.idle), run.clock_share};
}

std::vector<KernelRun> planned_kernels(const Schedule& schedule, HostTime begin,
                                       const DeviceDescription& device, Seconds since_start) {
  std::vector<KernelRun> runs;
  for (const Stretch& stretch : active_stretches(schedule)) {
    if (stretch.kernel == nullptr) continue;
    const Threads threads = threads_of(*stretch.kernel, stretch.level, device.machine);
    const HostSpan span{begin + to_nanoseconds(stretch.begin), begin + to_nanoseconds(stretch.end)};
    const double rate = run_of(*stretch.kernel, threads, device).iterations_per_s;
    const Played played{(since_start + stretch.begin).count(), (since_start + stretch.end).count(),
                        level_of(*stretch.kernel, stretch.level, device).level};
    runs.push_back({stretch.kernel.get(), span, threads.threads,
                    pieces_of(span, rate, played, device.faults)});
  }
  return runs;
}

SimulatedLaunch launch_simulated(const kernels::Kernel& kernel, double level,
                                 std::uint32_t iterations, const DeviceDescription& device) {
  const Threads threads = threads_of(kernel, level, device.machine);
  const simgpu::MachineRun run = run_of(kernel, threads, device);
  SimulatedLaunch launch;
  launch.threads = threads.threads;
  launch.time = kLaunchCosts + Seconds(iterations / run.iterations_per_s);
  for (std::size_t i = 0; i < launch.traffic.loads.size(); ++i) {
    launch.traffic.loads[i] = run.loads[i] * threads.threads * iterations;
    launch.traffic.stores[i] = run.stores[i] * threads.threads * iterations;
  }
  return launch;
}

}  // namespace truewatt::load
