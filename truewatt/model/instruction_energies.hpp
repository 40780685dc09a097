#pragma once

#include <string_view>

#include "truewatt/model/device_description.hpp"

namespace truewatt {

/// What one thread-level instruction costs on a simulated device.
struct InstructionCost {
  double joules = 0.0;  ///< above idle with a context and what spinning draws
  double cycles = 1.0;  ///< issue slots of its lane: machine instructions, or a slow unit's share
};

/// Of the PTX instruction `name`, from the device's own tables, else from one of usual energies on
/// an A100: Antepara et al. (SC'25) for double precision, and measurements above a busy spin that
/// a project published for FP32 multiply-adds, shared memory, caches and tensor cores; the rest are
/// interpolations by width and number of machine instructions. Plausible, not measured: they are
/// what a simulated board draws. Operands of 0 cost two thirds unless the device says otherwise,
/// as FMAs do on an H200.
InstructionCost instruction_cost(const DeviceDescription& device, std::string_view name,
                                 bool zeros);

}  // namespace truewatt
