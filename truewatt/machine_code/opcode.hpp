#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "truewatt/machine_code/cubin.hpp"

namespace truewatt::machine_code {

/// The name of a machine instruction as NVIDIA's disassembler has it, without its modifiers; of
/// MUFU with the function ("MUFU.RCP"), of others with what makes another instruction of it
/// ("HFMA2.MMA", "IMAD.WIDE", "IMAD.MOV"). A code that the table does not have is shown as a
/// number: "op_0x1ab".
std::string opcode_name(const Word& word, int sm);

/// Where the relative branch in `words[at]` goes, as an index of `words`; nothing if it is no
/// branch or leaves the code.
std::optional<std::size_t> branch_target(const Code& code, std::size_t at);

bool is_exit(const Word& word);
bool is_call(const Word& word);

}  // namespace truewatt::machine_code
