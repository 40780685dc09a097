#pragma once

// The operands of a step as values, for rows that the host computes again.

#include <cstdint>
#include <cstring>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::kernels {

/// The low bytes of a register as a value.
template <class T>
T from_bits(std::uint64_t bits) {
  T value{};
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <class T>
std::uint64_t to_bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

/// A step out of a function of four values without captures: `on<float>([](float d, float n, float
/// c, float e) { ... })`.
template <class T, class Compute>
Step on(Compute) {
  return [](const StepOperands& of) {
    return to_bits<T>(
        Compute{}(from_bits<T>(of.d), from_bits<T>(of.n), from_bits<T>(of.c), from_bits<T>(of.e)));
  };
}

/// The same with the last register of the ring, $m, for n.
template <class T, class Compute>
Step on_chain(Compute) {
  return [](const StepOperands& of) {
    return to_bits<T>(
        Compute{}(from_bits<T>(of.d), from_bits<T>(of.m), from_bits<T>(of.c), from_bits<T>(of.e)));
  };
}

}  // namespace truewatt::kernels
