#pragma once

#include <span>
#include <string>

#include "truewatt/base/units.hpp"
#include "truewatt/model/device_description.hpp"
#include "truewatt/simgpu/memory_system.hpp"

namespace truewatt::simgpu {

/// So many of an instruction in one iteration of a thread's loop.
struct InstructionCount {
  std::string name;
  double count = 0.0;
};

/// What runs: threads that all execute the same loop, spread evenly over some multiprocessors.
struct MachineLoad {
  std::span<const InstructionCount> iteration;
  bool zeros = false;        ///< operands of 0
  bool unoptimized = false;  ///< every instruction waits for the one before it
  double threads = 0.0;
  double multiprocessors = 0.0;
  std::span<const MemoryWork> memory{};
  double blocks = 1.0;  ///< on a multiprocessor
};

/// How it runs.
struct MachineRun {
  double iterations_per_s = 0.0;  ///< of each thread
  Watts above_idle{0};            ///< above idle with a context
  double clock_share = 1.0;       ///< of the machine's clock: below 1 at the board's limit
  ServedSectors loads{};          ///< of a thread's iteration
  ServedSectors stores{};
};

/// A loop of `load.iteration` and of the loop's own add, comparison and branch. Issue slots are
/// shared by a multiprocessor's threads, and a thread issues at most every fourth cycle. A board
/// that would draw more than its maximum lowers its clock, to a hundredth at least; joules go with
/// the power `machine.clock_exponent` of the clock's share. What the memory system cannot serve in
/// time delays all. Pure.
MachineRun run_on(const DeviceDescription& device, const MachineLoad& load);

}  // namespace truewatt::simgpu
