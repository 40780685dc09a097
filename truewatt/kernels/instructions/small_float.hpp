#pragma once

#include <cstdint>

#include "truewatt/kernels/instructions/instruction.hpp"

namespace truewatt::kernels {

/// The layout of a floating-point format: sign, exponent, stored bits of the significand.
struct FloatFormat {
  int bits = 32;
  int exponent_bits = 8;
  int fraction_bits = 23;
};

/// The format of an element; that of f32 for integers, which have none.
FloatFormat format_of(Element element);

/// The nearest number of the format, ties to even, as bits. Magnitudes above the largest finite one
/// become infinity; e4m3 has none and becomes its largest. No number is NVIDIA's NaN: all bits but
/// the sign.
std::uint64_t encode(Element element, double value);

/// The value of the low bits of `bits`.
double decode(Element element, std::uint64_t bits);

}  // namespace truewatt::kernels
