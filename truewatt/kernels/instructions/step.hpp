#pragma once

// The operands of a step as values, for rows that the host computes again.

#include <cmath>
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

/// The smaller and the larger of two numbers; of a number and a NaN the number.
template <class T>
T smaller(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return b < a ? b : a;
}
template <class T>
T larger(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? b : a;
  return a < b ? b : a;
}

/// Shifts as PTX defines them: by more than 31, nothing of the value is left but its sign.
inline std::uint32_t shifted_left(std::uint32_t value, std::uint32_t by) {
  return by > 31 ? 0 : value << by;
}
inline std::uint32_t shifted_right(std::uint32_t value, std::uint32_t by) {
  return by > 31 ? 0 : value >> by;
}
inline std::int32_t shifted_right(std::int32_t value, std::uint32_t by) {
  return value >> (by > 31 ? 31 : by);
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
