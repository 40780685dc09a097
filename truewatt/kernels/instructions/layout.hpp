#pragma once

// Where the operands of a thread lie, for those who write them and those who read them.

#include <cstddef>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::kernels {

/// Element k of the ring lies at kRingAt + kOperandStride k, and so on.
inline constexpr std::size_t kOperandStride = 16;
inline constexpr std::size_t kRingAt = 0;
inline constexpr std::size_t kConstantsAt = 64;
inline constexpr std::size_t kMoreConstantsAt = 128;
/// Two words that are never 0.
inline constexpr std::size_t kTrueAt = 184;

/// Bytes of one register.
constexpr std::size_t register_bytes(char kind) {
  return kind == 'd' || kind == 'g' ? 8 : kind == 'h' ? 2 : 4;
}

/// What a register holds, where its declaration already says so.
constexpr Element element_of(const Registers& registers) {
  if (registers.element != Element::integer) return registers.element;
  return registers.kind == 'f'   ? Element::f32
         : registers.kind == 'g' ? Element::f64
                                 : Element::integer;
}

}  // namespace truewatt::kernels
