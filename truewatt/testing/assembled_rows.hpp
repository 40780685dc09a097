#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>

#include "truewatt/kernels/instructions/instruction.hpp"
#include "truewatt/machine_code/loop_body.hpp"
#include "truewatt/testing/ptxas.hpp"

namespace truewatt::testing_support {

/// Copies of the two kernels whose difference is what one copy becomes.
inline constexpr unsigned kFewCopies = 16;
inline constexpr unsigned kManyCopies = 48;

inline int level_of(kernels::Optimization optimization) {
  return optimization == kernels::Optimization::O0 ? 0 : 3;
}

/// The loop of a row's kernel in machine code; fails the test where ptxas or the decoder refuse it.
inline machine_code::LoopBody assembled_body(const Ptxas& ptxas, const kernels::Instruction& row,
                                             kernels::Target target,
                                             kernels::Optimization optimization, unsigned copies) {
  const auto kernel = kernels::instruction_kernel(row, target, copies, optimization);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().message;
    return {};
  }
  const Assembled made = ptxas.assemble(kernel->ptx, to_string(target), level_of(optimization));
  const auto body =
      machine_code::loop_body(std::as_bytes(std::span(made.cubin)), kernels::kInstructionEntry);
  if (!body) ADD_FAILURE() << row.key << ": " << body.error().message << made.complaint;
  return body.value_or({});
}

/// What one copy of a row becomes.
inline machine_code::Expansion assembled_copy(const Ptxas& ptxas, const kernels::Instruction& row,
                                              kernels::Target target,
                                              kernels::Optimization optimization) {
  return machine_code::expansion(
      assembled_body(ptxas, row, target, optimization, kFewCopies), kFewCopies,
      assembled_body(ptxas, row, target, optimization, kManyCopies), kManyCopies);
}

/// "IADD3*0.5 IMAD.IADD*0.5".
inline std::string list_of(const machine_code::Expansion& expansion) {
  std::string text;
  for (const auto& one : expansion.per_instruction) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", one.opcode);
    if (one.count != 1) text += fmt::format("*{:.3g}", one.count);
  }
  return text;
}

}  // namespace truewatt::testing_support
