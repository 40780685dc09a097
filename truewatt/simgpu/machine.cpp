#include "truewatt/simgpu/machine.hpp"

#include <algorithm>
#include <cmath>

#include "truewatt/model/instruction_energies.hpp"

namespace truewatt::simgpu {
namespace {

/// A dependent instruction issues so many cycles after the one before it, as on Volta and later.
constexpr double kLatency = 4.0;
/// At O0 every instruction takes about four times as long (its stall counts say so).
constexpr double kUnoptimizedCycles = 4.0;
constexpr double kLeastClock = 0.01;

/// The loop's own instructions.
const InstructionCount kLoop[] = {{"sub.u32", 1.0}, {"setp.ne.u32", 1.0}, {"bra", 0.25}};

struct Sum {
  double joules = 0.0;  ///< of a thread's iteration
  double cycles = 0.0;
};

/// Adds one instruction; returns its joules.
double add(Sum& sum, const DeviceDescription& device, const InstructionCount& one, bool zeros) {
  const InstructionCost cost = instruction_cost(device, one.name, zeros);
  const auto& folded = device.machine.folded;
  const bool half = std::find(folded.begin(), folded.end(), one.name) != folded.end();
  const double count = half ? 0.5 * one.count : one.count;
  sum.joules += count * cost.joules;
  sum.cycles += count * cost.cycles;
  return count * cost.joules;
}

/// The iteration's instructions, and what they draw beside themselves where they are of several
/// kinds.
Sum sum_of(const DeviceDescription& device, const MachineLoad& load) {
  Sum sum;
  double squares = 0.0;
  for (const InstructionCount& one : load.iteration) {
    const double joules = add(sum, device, one, load.zeros);
    squares += joules * joules;
  }
  if (sum.joules > 0) sum.joules += device.machine.mixing * (sum.joules - squares / sum.joules);
  return sum;
}

}  // namespace

MachineRun run_on(const DeviceDescription& device, const MachineLoad& load) {
  const MachineDescription& machine = device.machine;
  Sum sum = sum_of(device, load);
  for (const InstructionCount& one : kLoop) add(sum, device, one, false);
  if (load.unoptimized) sum.cycles *= kUnoptimizedCycles;
  const double threads_per_sm = load.threads / load.multiprocessors;
  const double slots = std::min(machine.lanes_per_cycle, threads_per_sm / kLatency);
  MachineRun run;
  double cycles = sum.cycles * threads_per_sm / slots;
  double moving = 0.0;
  for (const MemoryWork& work : load.memory) {
    const ServedSectors served = served_sectors(device, work, load.blocks);
    sum.joules += joules_of(device, work, served);
    moving += memory_cycles(work, served, threads_per_sm);
    ServedSectors& all = work.store ? run.stores : run.loads;
    for (std::size_t i = 0; i < served.size(); ++i) all[i] += served[i];
  }
  cycles = std::max(cycles, moving);
  run.iterations_per_s = machine.clock_hz / cycles;
  const double spin = machine.spin.value();
  // Where that is given, it is what one thread per multiprocessor draws that does nothing but spin.
  const bool spins = load.iteration.empty() && load.memory.empty();
  if (spin > 0 && spins && load.threads <= load.multiprocessors) sum.joules = 0.0;
  const double dynamic = run.iterations_per_s * load.threads * sum.joules;
  const double most = (device.board.max - device.board.idle).value();
  const double power = 1.0 + machine.clock_exponent;
  if (dynamic > 0.0) {
    run.clock_share =
        std::clamp(std::pow(std::max(0.0, most - spin) / dynamic, 1.0 / power), kLeastClock, 1.0);
  }
  run.iterations_per_s *= run.clock_share;
  run.above_idle = Watts(std::min(most, spin + std::pow(run.clock_share, power) * dynamic));
  return run;
}

}  // namespace truewatt::simgpu
