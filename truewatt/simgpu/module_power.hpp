#pragma once

#include <vector>

#include "truewatt/model/device_description.hpp"
#include "truewatt/model/power_signal.hpp"
#include "truewatt/simgpu/board.hpp"

namespace truewatt::simgpu {

/// True power of a superchip's CPU rail for these plays (in order, not overlapping). Level L draws
/// cpu_idle + L (cpu_max - cpu_idle) from its first moment on: cores clock up within microseconds.
PowerSignal cpu_power(const BoardDescription& board, const std::vector<Play>& plays);

/// The module's power: the GPU's and the CPU's, which must be constant between its edges.
PowerSignal module_power(const PowerSignal& gpu, const PowerSignal& cpu);

}  // namespace truewatt::simgpu
