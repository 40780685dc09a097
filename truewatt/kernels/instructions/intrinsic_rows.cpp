// Integer intrinsics of Table I, and what came later for bits and bytes.

#include <bit>

#include "truewatt/kernels/instructions/step.hpp"
#include "truewatt/kernels/instructions/table.hpp"

namespace truewatt::kernels {
namespace {

using B = std::uint32_t;
using I = std::int32_t;

constexpr std::string_view kBy24 = "mul24() / mad24()";

Instruction intrinsic(std::string_view key, std::string_view paper, std::string_view text,
                      std::string_view machine, Step step, Values values = Values::integers) {
  return {.key = key,
          .group = group::kIntrinsic,
          .paper = paper,
          .text = text,
          .machine = machine,
          .values = values,
          .step = step};
}

Instruction with_xor(Instruction one) {
  one.partner = "xor.b32";
  return one;
}

/// One whose result is small: xor keeps the next operand random.
Instruction counting(std::string_view key, std::string_view paper, std::string_view text,
                     std::string_view machine, Step step) {
  return with_xor(intrinsic(key, paper, text, machine, step));
}

Instruction bits(std::string_view key, std::string_view text, std::string_view machine, Step step,
                 Values values = Values::integers) {
  Instruction one = intrinsic(key, "", text, machine, step, values);
  one.group = group::kBits;
  return one;
}

I signed24(B value) { return static_cast<I>(value << 8) >> 8; }
B unsigned24(B value) { return value & 0xFFFFFF; }
B product24(B a, B b) { return unsigned24(a) * unsigned24(b); }
B product24_signed(B a, B b) { return static_cast<B>(std::int64_t{signed24(a)} * signed24(b)); }
B distance(B a, B b) { return a < b ? b - a : a - b; }
B distance_signed(B a, B b) { return static_cast<I>(a) < static_cast<I>(b) ? b - a : a - b; }
B leading_one(B value) { return value == 0 ? ~B{0} : static_cast<B>(31 - std::countl_zero(value)); }

/// The upper word of two, shifted left by the last five bits of `by`.
B funnel(B high, B low, B by) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  return static_cast<B>(both << (by & 31) >> 32);
}

B reversed(B value) {
  B result = 0;
  for (int i = 0; i < 32; ++i) result |= (value >> i & 1) << (31 - i);
  return result;
}

/// The sum of products of bytes, and an addend.
template <class Byte>
B byte_products(B a, B b, B addend) {
  for (int i = 0; i < 32; i += 8) {
    addend += static_cast<B>(I{static_cast<Byte>(a >> i)} * I{static_cast<Byte>(b >> i)});
  }
  return addend;
}

/// prmt, default mode, of selectors without a sign's copy.
B permuted(B a, B b, B selector) {
  const std::uint64_t bytes = a | std::uint64_t{b} << 32;
  B result = 0;
  for (int i = 0; i < 4; ++i) {
    const B select = selector >> 4 * i & 0xF;
    const B byte = static_cast<B>(bytes >> 8 * (select & 7)) & 0xFF;
    const B chosen = (select & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xFF : 0;
    result |= chosen << 8 * i;
  }
  return result;
}

}  // namespace

Rows intrinsic_rows() {
  return {
      intrinsic("mul24.lo.s32", kBy24, "mul24.lo.s32 $d, $d, $n;", "IMAD",
                on<B>([](B d, B n, B, B) { return product24_signed(d, n); }), Values::odd),
      intrinsic("mul24.lo.u32", kBy24, "mul24.lo.u32 $d, $d, $n;", "IMAD",
                on<B>([](B d, B n, B, B) { return product24(d, n); }), Values::odd),
      intrinsic("mad24.lo.s32", kBy24, "mad24.lo.s32 $d, $d, $c, $n;", "IMAD",
                on<B>([](B d, B n, B c, B) { return product24_signed(d, c) + n; }), Values::odd),
      intrinsic("mad24.lo.u32", kBy24, "mad24.lo.u32 $d, $d, $c, $n;", "IMAD",
                on<B>([](B d, B n, B c, B) { return product24(d, c) + n; }), Values::odd),
      intrinsic("sad.s32", "sad()", "sad.s32 $d, $d, $c, $n;", "VABSDIFF|IADD3",
                on<B>([](B d, B n, B c, B) { return distance_signed(d, c) + n; })),
      intrinsic("sad.u32", "sad()", "sad.u32 $d, $d, $c, $n;", "VABSDIFF|IADD3",
                on<B>([](B d, B n, B c, B) { return distance(d, c) + n; })),
      counting("popc.b32", "popc()", "popc.b32 $d, $n; xor.b32 $d, $d, $c;", "POPC",
               on<B>([](B, B n, B c, B) { return static_cast<B>(std::popcount(n)) ^ c; })),
      counting("clz.b32", "clz()", "clz.b32 $d, $n; xor.b32 $d, $d, $c;", "FLO",
               on<B>([](B, B n, B c, B) { return static_cast<B>(std::countl_zero(n)) ^ c; })),
      counting("bfind.u32", "bfind()", "bfind.u32 $d, $n; xor.b32 $d, $d, $c;", "FLO",
               on<B>([](B, B n, B c, B) { return leading_one(n) ^ c; })),
      counting(
          "bfind.s32", "bfind()", "bfind.s32 $d, $n; xor.b32 $d, $d, $c;", "FLO",
          on<B>([](B, B n, B c, B) { return leading_one(static_cast<I>(n) < 0 ? ~n : n) ^ c; })),
      bits("lop3.b32", "lop3.b32 $d, $d, $n, $c, 0x96;", "LOP3",
           on<B>([](B d, B n, B c, B) { return d ^ n ^ c; })),
      bits("prmt.b32", "prmt.b32 $d, $d, $n, $c;", "PRMT",
           on<B>([](B d, B n, B c, B) { return permuted(d, n, c); })),
      bits("shf.l.wrap.b32", "shf.l.wrap.b32 $d, $d, $n, $c;", "SHF",
           on<B>([](B d, B n, B c, B) { return funnel(n, d, c); }), Values::shifts),
      bits("brev.b32", "brev.b32 $d, $n;", "BREV", on<B>([](B, B n, B, B) { return reversed(n); })),
      with_xor(
          bits("bfe.u32", "bfe.u32 $d, $n, $c, 17; xor.b32 $d, $d, $e;", "SGXT",
               on<B>([](B, B n, B c, B e) { return (shifted_right(n, c & 0xFF) & 0x1FFFF) ^ e; }),
               Values::shifts)),
      bits("bfi.b32", "bfi.b32 $d, $d, $n, $c, 17;", "BMSK", on<B>([](B d, B n, B c, B) {
             const B mask = shifted_left(0x1FFFF, c & 0xFF);
             return (n & ~mask) | (shifted_left(d, c & 0xFF) & mask);
           }),
           Values::shifts),
      bits("dp4a.u32.u32", "dp4a.u32.u32 $d, $d, $c, $n;", "IDP",
           on<B>([](B d, B n, B c, B) { return byte_products<std::uint8_t>(d, c, n); })),
      bits("dp4a.s32.s32", "dp4a.s32.s32 $d, $d, $c, $n;", "IDP",
           on<B>([](B d, B n, B c, B) { return byte_products<std::int8_t>(d, c, n); })),
      bits("dp2a.lo.u32.u32", "dp2a.lo.u32.u32 $d, $d, $c, $n;", "IDP", on<B>([](B d, B n, B c, B) {
             return (d & 0xFFFF) * (c & 0xFF) + (d >> 16) * (c >> 8 & 0xFF) + n;
           })),
  };
}

}  // namespace truewatt::kernels
