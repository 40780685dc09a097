#pragma once

#include <memory>

#include "truewatt/counters/counters.hpp"
#include "truewatt/simgpu/simulated_gpu.hpp"

namespace truewatt::counters {

/// Counters of a simulated device: all that its memory system served. Its description may deny
/// them, as an administrator does.
std::unique_ptr<Counters> make_simulated_counters(std::shared_ptr<simgpu::SimulatedGpu> gpu);

}  // namespace truewatt::counters
