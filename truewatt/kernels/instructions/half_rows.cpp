// Half precision of Table I, and packed pairs of half precision.

#include <cmath>

#include "truewatt/kernels/instructions/small_float.hpp"
#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using H = std::uint16_t;
using HH = std::uint32_t;

/// a + b as a double whose last bit is 1 where it is not exact, so that rounding it again is as
/// good as rounding the exact sum once (Boldo and Melquiond 2008, theorem 3).
double odd_sum(double a, double b) {
  const double sum = a + b;
  const double rounded_b = sum - a;
  const double error = (a - (sum - rounded_b)) + (b - rounded_b);
  if (!std::isfinite(sum) || error == 0 || (to_bits(sum) & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? INFINITY : -INFINITY);
}

/// A function of three numbers on each element of a register, rounded once.
template <Element element, class Register, class Compute>
Register each(Compute compute, Register n, Register c, Register e) {
  Register result = 0;
  for (unsigned at = 0; at < 8 * sizeof(Register); at += 16) {
    const auto of = [&](Register value) { return decode(element, static_cast<H>(value >> at)); };
    result = static_cast<Register>(result | encode(element, compute(of(n), of(c), of(e))) << at);
  }
  return result;
}

template <Element element, class Register, class Compute>
Step rounded(Compute) {
  return on<Register>([](Register, Register n, Register c, Register e) {
    return each<element, Register>(Compute{}, n, c, e);
  });
}

/// The same on the last register of the ring: one chain, of which no two links are packed.
template <Element element, class Register, class Compute>
Step chained(Compute) {
  return on_chain<Register>([](Register, Register m, Register c, Register e) {
    return each<element, Register>(Compute{}, m, c, e);
  });
}

constexpr auto kPlus = [](double n, double c, double) { return n + c; };
constexpr auto kMinus = [](double n, double c, double) { return n - c; };
constexpr auto kTimes = [](double n, double c, double) { return n * c; };
constexpr auto kFused = [](double n, double c, double e) { return odd_sum(n * c, e); };

constexpr std::string_view kHalfAdd = "HADD2|HFMA2|HFMA2.MMA";
constexpr std::string_view kHalfMul = "HMUL2|HFMA2|HFMA2.MMA";
constexpr std::string_view kHalfFma = "HFMA2|HFMA2.MMA";

Instruction half(std::string_view key, std::string_view paper, std::string_view text,
                 std::string_view machine, Values values, Step step) {
  return {.key = key,
          .group = group::kHalf,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .d = kHalf,
          .c = kHalf,
          .e = kHalf,
          .step = step};
}

Instruction packed(Registers registers, Target lowest, int ptx_version, std::string_view key,
                   std::string_view text, std::string_view machine, Values values, Step step) {
  return {.key = key,
          .group = group::kPacked,
          .text = text,
          .machine = machine,
          .values = values,
          .d = registers,
          .c = registers,
          .e = registers,
          .step = step,
          .unchecked = step == nullptr ? reason::kApproximate : "",
          .lowest = lowest,
          .ptx_version = ptx_version};
}

Instruction settling_packed(Instruction one) {
  one.settles = true;
  return one;
}

Instruction packed_partner(std::string_view partner, Instruction one) {
  one.partner = partner;
  return one;
}

}  // namespace

Rows half_rows() {
  constexpr std::string_view kPaper = "add / sub / mul";
  constexpr Element kF = Element::f16;
  constexpr Element kB = Element::bf16;
  return {
      half("add.f16", kPaper, "add.f16 $d, $m, $c;", kHalfAdd, Values::sums, chained<kF, H>(kPlus)),
      half("sub.f16", kPaper, "sub.f16 $d, $m, $c;", kHalfAdd, Values::sums,
           chained<kF, H>(kMinus)),
      half("mul.f16", kPaper, "mul.f16 $d, $m, $c;", kHalfMul, Values::products,
           chained<kF, H>(kTimes)),
      half("fma.rn.f16", "", "fma.rn.f16 $d, $m, $c, $e;", kHalfFma, Values::affine,
           chained<kF, H>(kFused)),
      packed(kHalf2, {75}, 64, "add.f16x2", "add.f16x2 $d, $n, $c;", kHalfAdd, Values::sums,
             rounded<kF, HH>(kPlus)),
      packed(kHalf2, {75}, 64, "sub.f16x2", "sub.f16x2 $d, $n, $c;", kHalfAdd, Values::sums,
             rounded<kF, HH>(kMinus)),
      packed(kHalf2, {75}, 64, "mul.f16x2", "mul.f16x2 $d, $n, $c;", kHalfMul, Values::products,
             rounded<kF, HH>(kTimes)),
      packed(kHalf2, {75}, 64, "fma.rn.f16x2", "fma.rn.f16x2 $d, $n, $c, $e;", kHalfFma,
             Values::affine, rounded<kF, HH>(kFused)),
      settling_packed(packed(
          kHalf2, {80}, 70, "min.f16x2", "min.f16x2 $d, $d, $n;", "HMNMX2|VHMNMX", Values::sums,
          on<HH>([](HH d, HH n, HH, HH) {
            return each<kF, HH>([](double a, double b, double) { return smaller(a, b); }, d, n, n);
          }))),
      packed_partner("add.f16x2", packed(kHalf2, {75}, 70, "ex2.approx.f16x2",
                                         "ex2.approx.f16x2 $d, $n; sub.f16x2 $d, $c, $d;",
                                         "MUFU.EX2", Values::affine, nullptr)),
      packed_partner("add.f16x2", packed(kHalf2, {75}, 70, "tanh.approx.f16x2",
                                         "tanh.approx.f16x2 $d, $n; add.f16x2 $d, $d, $c;",
                                         "MUFU.TANH", Values::affine, nullptr)),
      packed(kBfloat, {80}, 70, "fma.rn.bf16", "fma.rn.bf16 $d, $m, $c, $e;", kHalfFma,
             Values::affine, chained<kB, H>(kFused)),
      packed(kBfloat2, {80}, 70, "fma.rn.bf16x2", "fma.rn.bf16x2 $d, $n, $c, $e;", kHalfFma,
             Values::affine, rounded<kB, HH>(kFused)),
      packed(kBfloat2, {90}, 78, "add.rn.bf16x2", "add.rn.bf16x2 $d, $n, $c;", kHalfAdd,
             Values::sums, rounded<kB, HH>(kPlus)),
      packed(kBfloat2, {90}, 78, "mul.rn.bf16x2", "mul.rn.bf16x2 $d, $n, $c;", kHalfMul,
             Values::products, rounded<kB, HH>(kTimes)),
      packed(
          {'d', 1, Element::f32}, {100}, 86, "fma.rn.f32x2", "fma.rn.f32x2 $d, $n, $c, $e;",
          "FFMA2|FFMA", Values::affine,
          on<std::uint64_t>([](std::uint64_t, std::uint64_t n, std::uint64_t c, std::uint64_t e) {
            const auto one = [&](int at) {
              return to_bits(std::fma(from_bits<float>(n >> at), from_bits<float>(c >> at),
                                      from_bits<float>(e >> at)));
            };
            return one(0) | one(32) << 32;
          })),
  };
}

}  // namespace truewatt::kernels
