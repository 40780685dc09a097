#include "truewatt/kernels/instructions/small_float.hpp"

#include <cmath>
#include <limits>

#include "truewatt/kernels/instructions/step.hpp"

namespace truewatt::kernels {

FloatFormat format_of(Element element) {
  switch (element) {
    case Element::f16:
      return {16, 5, 10};
    case Element::bf16:
      return {16, 8, 7};
    case Element::tf32:
      return {32, 8, 10};
    case Element::f64:
      return {64, 11, 52};
    case Element::e4m3:
      return {8, 4, 3};
    case Element::e5m2:
      return {8, 5, 2};
    case Element::integer:
    case Element::f32:
      break;
  }
  return {};
}

std::uint64_t encode(Element element, double value) {
  if (element == Element::f64) return to_bits(value);
  if (element == Element::f32) return to_bits(static_cast<float>(value));
  // tf32 is an f32 whose last 13 bits are 0.
  const FloatFormat format = format_of(element);
  const int place = element == Element::tf32 ? 13 : 0;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (format.bits - 1) : 0;
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint64_t exponents = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t infinity = exponents << format.fraction_bits;
  const std::uint64_t largest = element == Element::e4m3 ? infinity + 6 : infinity;
  if (std::isnan(value)) return ((std::uint64_t{1} << (format.bits - 1)) - 1) >> place << place;
  const double magnitude = std::fabs(value);
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : 1 - bias;
  if (exponent < 1 - bias) exponent = 1 - bias;
  if (exponent > bias + 1) return sign | largest << place;
  // The integer carries from the significand into the exponent by itself.
  const auto scaled = static_cast<std::uint64_t>(
      std::nearbyint(std::ldexp(magnitude, format.fraction_bits - exponent)));
  const std::uint64_t bits =
      scaled + (static_cast<std::uint64_t>(exponent + bias - 1) << format.fraction_bits);
  return sign | (bits > largest ? largest : bits) << place;
}

double decode(Element element, std::uint64_t bits) {
  if (element == Element::f64) return from_bits<double>(bits);
  if (element == Element::f32 || element == Element::tf32) return from_bits<float>(bits);
  const FloatFormat format = format_of(element);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const std::uint64_t fractions = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t exponents = (std::uint64_t{1} << format.exponent_bits) - 1;
  const std::uint64_t fraction = bits & (fractions - 1);
  const std::uint64_t exponent = bits >> format.fraction_bits & exponents;
  const double sign = (bits >> (format.bits - 1) & 1) != 0 ? -1 : 1;
  if (element == Element::e4m3 && exponent == exponents && fraction == fractions - 1) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (element != Element::e4m3 && exponent == exponents) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - bias - format.fraction_bits;
  return sign * std::ldexp(static_cast<double>(fraction + (exponent == 0 ? 0 : fractions)), power);
}

}  // namespace truewatt::kernels
