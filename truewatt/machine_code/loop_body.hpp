#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "truewatt/base/result.hpp"

namespace truewatt::machine_code {

/// How often an opcode stands in a piece of machine code.
struct OpcodeCount {
  std::string opcode;  ///< "IADD3", "MUFU.RCP", "op_0x1ab" where the table has no name
  double count = 0;
};

/// The machine instructions of one pass of a kernel's loop.
struct LoopBody {
  int sm = 0;                        ///< target of the code, 90 for sm_90 and sm_90a
  std::size_t instructions = 0;      ///< sum of `opcodes`
  std::vector<OpcodeCount> opcodes;  ///< most frequent first, then by name
  bool has_call = false;             ///< it calls code outside, which is not counted
};

/// The body of the kernel's main loop, out of a cubin (an ELF64 file for Volta or newer: 16 bytes
/// an instruction): the longest from the target of a backward branch to the branch. parse: no such
/// ELF file, kernel or loop.
Result<LoopBody> loop_body(std::span<const std::byte> cubin, std::string_view kernel);

/// Machine instructions per PTX instruction.
struct Expansion {
  std::vector<OpcodeCount> per_instruction;  ///< most frequent first; none below 0.005 in magnitude
  double total = 0;
};

/// The difference of two bodies over the difference of their copies: the loop's own instructions
/// and what is hoisted out of it cancel. Needs few_copies < many_copies.
Expansion expansion(const LoopBody& few, unsigned few_copies, const LoopBody& many,
                    unsigned many_copies);

}  // namespace truewatt::machine_code
