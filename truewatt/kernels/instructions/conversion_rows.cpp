// Conversions. A conversion changes the type, so each copy converts back.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "truewatt/kernels/instructions/small_float.hpp"
#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using C = std::uint32_t;

constexpr Registers kFloatBits{'r', 1, Element::f32};

Instruction conversion(std::string_view key, std::string_view partner, std::string_view text,
                       std::string_view machine, Values values, Registers d, Step step) {
  return {.key = key,
          .group = group::kConversion,
          .text = text,
          .machine = machine,
          .values = values,
          .d = d,
          .c = kFloatBits,
          .step = step,
          .unchecked = step == nullptr ? reason::kApproximate : "",
          .partner = partner};
}

/// One chain, so that no two are packed: all registers come to hold one value.
Instruction one_chain(Instruction one) {
  one.settles = true;
  return one;
}

Instruction since(Target lowest, int ptx_version, Instruction one) {
  one.lowest = lowest;
  one.ptx_version = ptx_version;
  return one;
}

/// The nearest 32-bit integer and back: no number is 0, one out of range the last in range;
/// integers have no negative zero.
float whole(float value) {
  if (std::isnan(value)) return 0;
  const double nearest = std::nearbyint(value);
  return static_cast<float>(static_cast<std::int64_t>(std::clamp(nearest, -0x1p31, 0x1p31 - 1)));
}

/// Two numbers rounded into the halves of a word: the second operand is the lower half.
template <Element element>
C pair(C high, C low) {
  return static_cast<C>(encode(element, from_bits<float>(high)) << 16 |
                        encode(element, from_bits<float>(low)));
}

}  // namespace

Rows conversion_rows() {
  constexpr std::string_view kPack8 =
      "{ .reg .b16 %h_two; cvt.rn.satfinite.e4m3x2.f32 %h_two, $c, $n; cvt.rn.f16x2.e4m3x2 $d, "
      "%h_two; }";
  constexpr std::string_view kPack8Wide =
      "{ .reg .b16 %h_two; cvt.rn.satfinite.e5m2x2.f32 %h_two, $c, $n; cvt.rn.f16x2.e5m2x2 $d, "
      "%h_two; }";
  return {
      conversion(
          "cvt.rni.s32.f32", "cvt.rn.f32.s32",
          "{ .reg .b32 %r_whole; cvt.rni.s32.f32 %r_whole, $n; cvt.rn.f32.s32 $d, %r_whole; }",
          "F2I", Values::counts, kFloat,
          on<float>([](float, float n, float, float) { return whole(n); })),
      conversion("cvt.rn.f32.f64", "cvt.f64.f32",
                 "{ .reg .f32 %f_short; cvt.rn.f32.f64 %f_short, $n; cvt.f64.f32 $d, %f_short; }",
                 "F2F", Values::products, kDouble, on<double>([](double, double n, double, double) {
                   return static_cast<double>(static_cast<float>(n));
                 })),
      one_chain(conversion(
          "cvt.rn.f16.f32", "cvt.f32.f16",
          "{ .reg .b16 %h_short; cvt.rn.f16.f32 %h_short, $m; cvt.f32.f16 $d, %h_short; }",
          "F2F|F2FP", Values::products, kFloat, on_chain<float>([](float, float n, float, float) {
            return static_cast<float>(decode(Element::f16, encode(Element::f16, n)));
          }))),
      since({80}, 70,
            conversion("cvt.rna.tf32.f32", "", "cvt.rna.tf32.f32 $d, $n;", "F2F|F2FP|LOP3",
                       Values::products, kFloatBits, nullptr)),
      since({80}, 70,
            conversion("cvt.rn.f16x2.f32", "", "cvt.rn.f16x2.f32 $d, $c, $n;", "F2FP",
                       Values::products, kFloatBits,
                       on<C>([](C, C n, C c, C) { return pair<Element::f16>(c, n); }))),
      since({80}, 70,
            conversion("cvt.rn.bf16x2.f32", "", "cvt.rn.bf16x2.f32 $d, $c, $n;", "F2FP",
                       Values::products, kFloatBits,
                       on<C>([](C, C n, C c, C) { return pair<Element::bf16>(c, n); }))),
      since({89}, 81,
            conversion("cvt.rn.satfinite.e4m3x2.f32", "cvt.rn.f16x2.e4m3x2", kPack8, "F2FP",
                       Values::products, kFloatBits, nullptr)),
      since({89}, 81,
            conversion("cvt.rn.satfinite.e5m2x2.f32", "cvt.rn.f16x2.e5m2x2", kPack8Wide, "F2FP",
                       Values::products, kFloatBits, nullptr)),
  };
}

}  // namespace truewatt::kernels
