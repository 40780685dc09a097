#include "truewatt/simgpu/machine.hpp"

#include <algorithm>

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

void add(Sum& sum, const DeviceDescription& device, const InstructionCount& one, bool zeros) {
  const InstructionCost cost = instruction_cost(device, one.name, zeros);
  const auto& folded = device.machine.folded;
  const bool half = std::find(folded.begin(), folded.end(), one.name) != folded.end();
  const double count = half ? 0.5 * one.count : one.count;
  sum.joules += count * cost.joules;
  sum.cycles += count * cost.cycles;
}

}  // namespace

MachineRun run_on(const DeviceDescription& device, const MachineLoad& load) {
  const MachineDescription& machine = device.machine;
  Sum sum;
  for (const InstructionCount& one : load.iteration) add(sum, device, one, load.zeros);
  for (const InstructionCount& one : kLoop) add(sum, device, one, false);
  if (load.unoptimized) sum.cycles *= kUnoptimizedCycles;
  const double threads_per_sm = load.threads / load.multiprocessors;
  const double slots = std::min(machine.lanes_per_cycle, threads_per_sm / kLatency);
  MachineRun run;
  run.iterations_per_s = slots * machine.clock_hz / (sum.cycles * threads_per_sm);
  const double spin = machine.spin.value();
  const double dynamic = run.iterations_per_s * load.threads * sum.joules;
  const double most = (device.board.max - device.board.idle).value();
  if (dynamic > 0.0) run.clock_share = std::clamp((most - spin) / dynamic, kLeastClock, 1.0);
  run.iterations_per_s *= run.clock_share;
  run.above_idle = Watts(std::min(most, spin + run.clock_share * dynamic));
  return run;
}

}  // namespace truewatt::simgpu
