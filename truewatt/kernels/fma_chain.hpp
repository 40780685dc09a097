#pragma once

#include <string>
#include <string_view>

#include "truewatt/kernels/kernel.hpp"

namespace truewatt::kernels {

/// Name of the kernel in fma_chain_ptx().
inline constexpr std::string_view kFmaChainEntry = "truewatt_fma_chain";

/// Steps of the chain (`x = x*2 + 2; x = x/2 - 1`, two fused multiply-adds) in one pass of the
/// kernel's loop: enough to hide the loop's own three instructions, few enough that a pass stays
/// far below a microsecond and any duration can be met.
inline constexpr int kFmaChainStepsPerPass = 16;

/// What every thread's float must hold before the kernel, and then holds again after it.
inline constexpr float kFmaChainStart = 1.0F;

/// PTX of the benchmark load of Yang, Adamek and Armour (SC'24), section III-D, listing 1: a chain
/// of dependent multiply-adds on one float per thread, so that its duration is linear in the number
/// of passes and its power in the number of blocks. Unlike the listing it keeps x in a register, so
/// that the memory adds nothing to the power.
///
/// A pass is kFmaChainStepsPerPass steps. From kFmaChainStart every step is exact, so a float that
/// comes back as anything else means that the device computed wrongly. Loads on every driver since
/// CUDA 9 and every GPU since Kepler.
std::string fma_chain_ptx();

/// It as a kernel, one block on every multiprocessor.
const Kernel& fma_chain();

}  // namespace truewatt::kernels
