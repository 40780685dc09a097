#pragma once

#include <memory>
#include <string>
#include <vector>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/kernels/kernel.hpp"

namespace truewatt::instructions {

/// A row's loop with `copies` of its instruction; 0: the empty loop.
struct LoopOf {
  const kernels::Instruction* instruction = nullptr;
  kernels::Optimization optimization = kernels::Optimization::O3;
  kernels::Operands operands = kernels::Operands::random;
  unsigned copies = 0;
  kernels::Grid grid = kernels::Grid::full;
  kernels::LoopOverhead overhead = kernels::LoopOverhead::normal;
};
std::shared_ptr<const kernels::Kernel> make_loop(const LoopOf& loop);

/// Several rows' instructions in one loop on all multiprocessors, at O3 with random operands.
std::shared_ptr<const kernels::Kernel> make_mixed(std::string name,
                                                  std::vector<kernels::MixedPart> parts);

}  // namespace truewatt::instructions
