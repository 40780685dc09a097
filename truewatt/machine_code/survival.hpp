#pragma once

#include <optional>
#include <string>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/machine_code/loop_body.hpp"

namespace truewatt::machine_code {

/// Nothing if the row's instruction is what runs in the machine code of its copies; else why it is
/// not: "and.b32: 0 of 1 LOP3 per instruction are left".
std::optional<std::string> survived(const kernels::Instruction& instruction,
                                    kernels::Optimization optimization, int sm,
                                    const Expansion& expansion);

}  // namespace truewatt::machine_code
